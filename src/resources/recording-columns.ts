import { instant, integer, oneOf, text } from '../core/define/column.ts'

/** The columns of a recorded session, live or in the trash. */
export const sessionColumns = {
  session_id: text('ID of one instance of a session.'),
  session_key: text('ID that the app gave the session; several instances may share it.'),
  session_name: text('Name of the session.'),
  start_time: instant('When the session began.'),
  duration: integer('Length of the session as a number; the service names no unit.'),
  total_size: integer('Size of all files, those of participants included; taken to be in bytes.'),
  recording_count: integer('Number of recordings, audio files of participants included.'),
}

/** The common columns of recording files. `parent` is the stream of their sessions. */
export const fileColumns = (parent: string) => ({
  session_id: text(`ID of the recorded session, from ${parent}.session_id.`),
  file_key: text("The file's ID; for a file without one its type and times."),
  ordinal: integer('Place among rows that are otherwise alike, counted from 0.'),
  id: text('ID of the file; null for CC and TIMELINE files.'),
  recording_start: instant('When the recorded part begins.'),
  recording_end: instant('When the recorded part ends.'),
  file_type: oneOf('Format or kind of the file.', [
    'MP4',
    'M4A',
    'TIMELINE',
    'TRANSCRIPT',
    'CHAT',
    'CC',
    'CSV',
  ]),
  file_size: integer('Size of the file, taken to be in bytes; null for CC and TIMELINE files.'),
  status: oneOf('State of the file; null for CC and TIMELINE files.', ['completed']),
  recording_type: oneOf('What the file shows or holds; null for CC and TIMELINE files.', [
    'shared_screen_with_speaker_view(CC)',
    'shared_screen_with_speaker_view',
    'shared_screen_with_gallery_view',
    'active_speaker',
    'gallery_view',
    'shared_screen',
    'audio_only',
    'audio_transcript',
    'chat_file',
    'poll',
    'timeline',
    'closed_caption',
    'local_transcript',
    'original_transcript',
  ]),
})

/** Columns with a value only for files in the customer's own storage or in the trash. */
export const storedColumns = {
  external_storage_url: text("Path of the file in the customer's own storage."),
  deleted_time: instant('When the file was moved to the trash; null outside the trash.'),
}

/** Additional columns of a participant's file. */
export const participantColumns = {
  file_name: text('Name of the file.'),
  file_extension: text("Extension of the file's name."),
  file_size: integer('Size of the file in bytes.'),
  user_id: text('ID of the participant, valid only during the session.'),
  user_key: text(
    "The participant's own key, given by the app that let them in; at most 36 characters.",
  ),
}
