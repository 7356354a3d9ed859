/** Fields of the documents that are kept nowhere, and why; a field of that name in whichever stream. */
export const DROPPED: Readonly<Record<string, string>> = {
  personal_meeting_url: 'may hold the passcode of the person’s meeting room',
  download_url: 'is signed, lets whoever has it in, and dies within minutes',
  download_access_token: 'opens the files of a session',
  'original_billing_info.pin': 'is the secret by which the old carrier lets a number go',
}
