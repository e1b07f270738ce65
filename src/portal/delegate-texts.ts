/** Every word of the page about who may act for somebody. `{names}` are filled in. */
export const delegateTexts = {
  title: 'Who may act for you',
  words:
    'You can name one person or one application that may act for you. They are never told your password, and they sign in as themselves.',
  now: 'At this moment',
  nobody: 'Nobody may act for you.',
  gone: 'The one you have named is not there any more. Nobody acts for you.',
  person: 'Person',
  application: 'Application',
  mail: 'Mail',
  description: 'What it is',
  remove: 'Take it back',
  name: 'Name somebody',
  nameOther: 'Name somebody else',
  party: 'User name, mail address, or the name of an application',
  partyHint: 'You see who it is before anything is changed.',
  find: 'Go on',

  missing: 'Type a name.',
  unknown: 'Nobody is known by this name, and no application. Look at it once more.',
  several: 'Several are known by this name. Type a user name, which only one of them has.',
  self: 'That is you. Name somebody else.',
  lost: 'They are not there any more. Nothing was changed.',
  refused: 'This cannot be done. Nothing was changed.',

  confirmTitle: 'Let {name} act for you?',
  confirmActs: 'Applications that ask are told that {name} may act for you. What they do there counts as done for you.',
  confirmReplaces: '{name} may not act for you any more from then on.',
  confirmBack: 'You can take it back at any time. What was done until then stays done.',
  confirm: 'Let them act for me',
  keep: 'Change nothing',

  done: {
    named: 'It is written down: {name} may act for you.',
    removed: 'Nobody may act for you any more.',
  },
} as const;
