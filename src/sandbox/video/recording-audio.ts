import { fileTruths, type ParticipantFile, participantFileItem } from './recording-files.ts'
import type { Recording } from './recordings.ts'

type Json = Record<string, unknown>

/** The sound of each participant, which the detail alone lists; it is recorded where the pictures are. */
export function audioItems({ participantFiles }: Recording, url: string): Json[] {
  return participantFiles.map((file) => {
    const { recording_type: _ofPictures, ...item } = participantFileItem(audioOf(file), url)
    return { ...item, file_extension: 'M4A' }
  })
}

export function audioTruths({ session_id, participantFiles }: Recording): Json[] {
  return fileTruths(session_id, participantFiles.map(audioOf)).map((row, n) => ({
    ...row,
    file_name: participantFiles[n]?.file_name ?? null,
    file_extension: 'M4A',
    user_id: participantFiles[n]?.user_id ?? null,
    user_key: participantFiles[n]?.user_key ?? null,
  }))
}

function audioOf(file: ParticipantFile): ParticipantFile {
  return {
    ...file,
    id: `${String(file.id)}-a`,
    file_type: 'M4A',
    file_size: Math.ceil(file.file_size / 20),
  }
}
