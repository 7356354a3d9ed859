import type { Answering, SandboxCall } from '../protocol/call.ts'
import { type FileTruth, fileBytes, SandboxFile, sha256Of } from '../protocol/file-bytes.ts'
import { SEAL } from '../protocol/file-host.ts'
import { noFile, refuse } from '../protocol/refusal.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { audioFilesOf } from './recording-audio.ts'
import { fileTruths as keysOf, type RecordingFile } from './recording-files.ts'
import { hasPassword, type Recording, recordingAt, recordingCount } from './recordings.ts'

export const recordingDownloadAnswers: Readonly<Record<string, Answering>> = {
  'recordings.download': {
    parameters: ['token', 'access_token', 'hop', ...SEAL],
    parameterCode: 300,
    scopes: [],
    granularScopes: [],
    answer: downloadRecording,
  },
}

/** Yields all recording files that are not in the trash. */
export function* recordingFileTruths(seedData: SeedData, nowMs: number): Generator<FileTruth> {
  for (let index = 0; index < recordingCount(seedData, seedData.state); index++) {
    const recording = recordingAt(seedData, seedData.state, { index, shelf: 'window', nowMs })
    if (recording === undefined) continue
    for (const files of Object.values(listsOf(recording)))
      for (const [n, key] of keysOf(recording.session_id, files).entries()) {
        const bytes = bytesOf(seedData, files[n] as RecordingFile)
        const { file_key, ordinal } = key as { file_key: string; ordinal: string }
        const item = ordinal === '0' ? file_key : `${file_key}#${ordinal}`
        const whole = { sha256: sha256Of(bytes), size: bytes.length }
        yield { parent: recording.session_id, item, ...whole, expiresMs: undefined }
      }
  }
}

function listsOf(
  recording: Recording,
): Readonly<Record<'f' | 'p' | 'a', readonly RecordingFile[]>> {
  return { f: recording.files, p: recording.participantFiles, a: audioFilesOf(recording) }
}

/**
 * Downloads a file. A protected file also needs the JWT in the query; no list says which files are protected.
 */
function downloadRecording(call: SandboxCall): SandboxFile {
  const { seedData, path, query, nowMs, admits } = call
  const [, index, list, place] = /^(\d{1,9})\.([fpa])(\d{1,4})$/.exec(path.path ?? '') ?? []
  if (!(Number(index) < recordingCount(seedData, seedData.state))) throw nothing(call)
  const where = { index: Number(index), shelf: 'window', nowMs } as const
  const recording = recordingAt(seedData, seedData.state, where)
  const files = recording && listsOf(recording)[list as 'f' | 'p' | 'a']
  const file = files?.find((one) => one.place === Number(place))
  if (file === undefined) throw nothing(call)
  if (hasPassword(seedData, Number(index)) && !admits(query.get('access_token') ?? ''))
    throw refuse(403, 403, 'A password protects this recording.')
  return new SandboxFile(bytesOf(seedData, file))
}

function bytesOf({ seed }: SeedData, { kind, file_size: size }: RecordingFile): Buffer {
  return fileBytes(seed ^ kind, size)
}

function nothing({ readings }: SandboxCall): Error {
  return noFile(readings.missingFile, 3301, 'There is no recording for this session.')
}
