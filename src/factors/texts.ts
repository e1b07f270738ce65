/** Every word of the ceremony, wherever it stands. */
export const texts = {
  getAbove: 'Have your security key at hand. When you press the button, your browser asks you to touch it, or to unlock this device.',
  getButton: 'Use your security key',
  createAbove:
    'Have the security key at hand that you want to add, or use what is built into this device. When you press the button, your browser asks for it.',
  createButton: 'Add a security key',
  withoutScript:
    'This page needs JavaScript to speak to a security key, and your browser does not run it here. Use another way below, or allow it.',
} as const;

/** What the script says went wrong, by the name of the browser's error (Web Authentication Level 3 §5.1.3, §5.1.4). */
export const scriptTexts = {
  get: {
    NotAllowedError:
      'Nothing was sent: you cancelled, it took too long, or this is not a key that was added here. Try again, or use another way.',
    InvalidStateError: 'This security key cannot be used here. Use another one.',
  },
  create: {
    NotAllowedError: 'Nothing was added: you cancelled, or it took too long. Try again.',
    InvalidStateError: 'This security key was added before. Use another one.',
    NotSupportedError: 'This security key cannot do what is asked for here. Use another one.',
    ConstraintError: 'This security key cannot do what is asked for here. Use another one.',
  },
  both: {
    SecurityError: 'Security keys do not work at this address. Open this service by its name, over https.',
    AbortError: 'It was stopped before it was done. Try again.',
    insecure: 'Security keys work over https only. Open this service at its https address.',
    unable: 'This browser cannot use security keys. Use another browser, or another way.',
    other: 'That did not work. Try again, or use another way.',
  },
} as const;

/** Every word about an authenticator app that is being set up. */
export const appTexts = {
  scan: 'Scan this picture with your authenticator app.',
  picture: 'QR code for your authenticator app. What it says stands below as text.',
  type: 'Or type this key into the app by hand:',
  parameters: 'Algorithm {algorithm}, {digits} digits, a new code every {period} seconds.',
} as const;
