/** The words of the page on which signing keys are taken back. */
export const emergencyTexts = {
  keys: 'Signing keys',
  title: 'Emergency rotation',
  when: 'For keys that others may have: a backup that was lost, a machine that was broken into. To change keys now and then, rotate them; nothing ends by that.',
  falls:
    'All signing keys of this realm are taken back at once, and new ones sign. ID tokens, access tokens that are signed (JWT), signed answers and logout tokens that were made so far are refused wherever the published keys are asked for.',
  stays:
    'Sessions and refresh tokens stay as they are: applications get new tokens by themselves where they have a refresh token, and send their people here otherwise. Whoever keeps a copy of the published keys goes on believing in the old ones until they fetch them again.',
  confirm: 'Type compromised to confirm',
  hint: 'The word, in small letters.',
  wrong: 'This is not the word. Nothing was rotated.',
  verb: 'Take back all keys',
  cancel: 'Change nothing',
} as const;
