// The one script of Atrium: it asks the browser for a security key and sends what it answers, as a form. It loads nothing and keeps nothing.
(() => {
  const asking = document.getElementById('ceremony');
  const form = asking?.closest('form');
  if (!form) return;
  const { kind, options, words } = asking.dataset;
  const button = form.querySelector('button');
  const fault = document.getElementById('ceremony-fault');
  const texts = JSON.parse(words);

  const octets = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  const base64url = (buffer) => {
    let text = '';
    for (const octet of new Uint8Array(buffer)) text += String.fromCharCode(octet);
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  };
  const descriptors = (list = []) => list.map((each) => ({ ...each, id: octets(each.id) }));

  const asked = () => {
    const given = JSON.parse(options);
    const challenge = octets(given.challenge);
    if (kind === 'get') return { ...given, challenge, allowCredentials: descriptors(given.allowCredentials) };
    const user = { ...given.user, id: octets(given.user.id) };
    return { ...given, challenge, user, excludeCredentials: descriptors(given.excludeCredentials) };
  };

  const answered = (credential) => {
    const { response } = credential;
    const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
    const octetsOf = Object.fromEntries(parts.filter((part) => response[part]).map((part) => [part, base64url(response[part])]));
    return {
      id: base64url(credential.rawId),
      type: credential.type,
      authenticatorAttachment: credential.authenticatorAttachment,
      clientExtensionResults: credential.getClientExtensionResults(),
      response: { ...octetsOf, transports: response.getTransports?.() },
    };
  };

  const tell = (text) => {
    fault.querySelector('p').textContent = text;
    fault.hidden = false;
    button.disabled = false;
    button.focus();
  };

  const run = async () => {
    fault.hidden = true;
    button.disabled = true;
    try {
      const publicKey = asked();
      const credential = await (kind === 'get' ? navigator.credentials.get({ publicKey }) : navigator.credentials.create({ publicKey }));
      if (credential === null) throw new DOMException('', 'NotAllowedError');
      form.elements.namedItem('answer').value = JSON.stringify(answered(credential));
      HTMLFormElement.prototype.submit.call(form);
    } catch (error) {
      tell(texts[error.name] ?? texts.other);
    }
  };

  for (const each of document.querySelectorAll('[data-without-script]')) each.hidden = true;
  if (!window.isSecureContext || window.PublicKeyCredential === undefined) {
    tell(window.isSecureContext ? texts.unable : texts.insecure);
    return;
  }
  for (const each of document.querySelectorAll('[data-with-script]')) each.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run();
  });
})();
