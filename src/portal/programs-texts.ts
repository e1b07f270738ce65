/** The words of the settings of programs. */
export const programTexts = {
  mail: 'Mail (Thunderbird, phone)',
  other: 'Another program',
  server: 'Server',
  port: 'Port',
  security: 'Security',
  userName: 'User name',
  dn: 'Directory name (bind DN)',
  base: 'Search base',
  filter: 'Filter',
  authentication: 'Authentication',
  mailServer: 'As for your mail until now',
  mailSecurity: 'TLS, as for your mail until now',
  mailAuthentication: 'Password, normal: not OAuth2',
  securities: { ldaps: 'TLS (ldaps)', starttls: 'StartTLS', none: 'None: on this machine only' },
} as const;
