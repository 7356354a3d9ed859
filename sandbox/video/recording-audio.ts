import { fileTruths, type ParticipantFile, participantFileItem } from './recording-files.ts'
import { addressOf, type Recording, type SignedFiles } from './recordings.ts'

type Json = Record<string, unknown>

/** Returns an audio file for each participant's video. Only the detail lists audio files. */
export function audioItems({ participantFiles }: Recording, signed: SignedFiles): Json[] {
  const url = addressOf(signed)
  return participantFiles.map((file, n) => {
    const own = url(`a${String(n)}`)
    const { recording_type: _ofPictures, ...item } = participantFileItem(audioOf(file), own)
    return { ...item, file_extension: 'M4A' }
  })
}

export function audioFilesOf({ participantFiles }: Recording): ParticipantFile[] {
  return participantFiles.map(audioOf)
}

export function audioTruths(recording: Recording): Json[] {
  const { session_id, participantFiles } = recording
  return fileTruths(session_id, audioFilesOf(recording)).map((row, n) => ({
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
