/**
 * Settings that were removed on 2026-09-23. Each let a call to the outside go unprotected, so a service that is still told one does not start:
 * going on without it would look like obeying it.
 *
 * @see specification document 2, "STS-CORE", 0105
 */
export const removedSettings = {
  'gnap.pushAllowInsecure': 'STS_GNAP_PUSH_ALLOW_INSECURE',
  'ssf.pushAllowInsecure': 'STS_SSF_PUSH_ALLOW_INSECURE',
  'federation.outboundAllowInsecure': 'STS_FEDERATION_OUTBOUND_ALLOW_INSECURE',
  'xacml.pepNotifyAllowInsecure': 'STS_XACML_PEP_NOTIFY_ALLOW_INSECURE',
} as const satisfies Record<string, string>;
