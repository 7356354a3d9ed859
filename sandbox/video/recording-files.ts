import { hash, pick } from '../base/random.ts'
import { isoSecond, trueTime, wireTime } from '../base/wire-time.ts'
import { plainId } from '../seed-data/ids.ts'
import type { SeedData } from '../seed-data/seed-data.ts'

type Json = Record<string, unknown>

export interface RecordingFile {
  /** The file's ID; CC and TIMELINE files have no ID, size, status or recording type. */
  id: string | undefined
  /** Its position among all files of the recording. */
  place: number
  file_type: string
  recording_type: string
  file_size: number
  startMs: number
  endMs: number
  kind: number
  stored: boolean
}

export interface ParticipantFile extends RecordingFile {
  file_name: string
  user_id: string
  user_key: string | undefined
}

/**
 * Returns the video and audio of each stretch, then derived files. Transcripts come last, because a later
 * day may add some.
 */
export function filesOf(
  seedData: SeedData,
  facts: { recording: number; h: number; startMs: number; seconds: number; moreFiles: number },
): RecordingFile[] {
  const { recording, h, startMs, seconds, moreFiles } = facts
  const files: RecordingFile[] = []
  const endMs = startMs + seconds * 1000
  const whole = [startMs, endMs] as const
  const add = (
    file_type: string,
    recording_type: string,
    [fromMs, untilMs]: readonly [number, number],
  ): void => {
    const place = files.length
    const bare = file_type === 'CC' || file_type === 'TIMELINE'
    const kind = hash(h, 71, bare ? 99 : place)
    files.push({
      id: bare ? undefined : plainId(hash(seedData.idSeed, 72, recording), 73, place),
      place,
      file_type,
      recording_type,
      file_size: sizeOf(seedData, 20_000 + (kind % 900_000_000)),
      startMs: fromMs,
      endMs: untilMs,
      kind,
      stored: h % 25 === 0,
    })
  }
  const middleMs = startMs + Math.floor(seconds / 2) * 1000
  const stretches = h % 8 === 0 ? [startMs, middleMs, endMs] : [startMs, endMs]
  for (let n = 1; n < stretches.length; n++) {
    const [from = startMs, until = endMs] = [stretches[n - 1], stretches[n]]
    add('MP4', pick(VIEWS, h >>> 3), [from, until])
    add('M4A', 'audio_only', [from, until])
  }
  if (h % 2 === 0) add('TIMELINE', '', whole)
  if (h % 5 === 0) add('CC', '', whole)
  // Adds captions in a second language, which differ from the first only by their position.
  if (h % 35 === 0) add('CC', '', whole)
  if (h % 4 === 0) add('CHAT', 'chat_file', whole)
  if (h % 16 === 3) add('CSV', 'poll', whole)
  for (let n = 0; n < moreFiles; n++) add('TRANSCRIPT', pick(TRANSCRIPTS, (h >>> 6) + n), whole)
  return files
}

export function participantFilesOf(
  seedData: SeedData,
  facts: { recording: number; h: number; startMs: number; seconds: number },
): ParticipantFile[] {
  const { recording, h, startMs, seconds } = facts
  if (h % 6 !== 1) return []
  return Array.from({ length: 1 + ((h >>> 8) % 4) }, (_, place) => {
    const kind = hash(h, 74, place)
    return {
      id: plainId(hash(seedData.idSeed, 75, recording), 76, place),
      place,
      file_type: 'MP4',
      recording_type: kind % 5 === 0 ? 'individual_shared_screen' : 'individual_user',
      file_size: sizeOf(seedData, 50_000 + (kind % 300_000_000)),
      startMs,
      endMs: startMs + seconds * 1000,
      kind,
      stored: false,
      file_name: `Participant ${String(place + 1)} video`,
      user_id: String(16_778_240 + (kind % 4096)),
      user_key: kind % 4 === 0 ? undefined : `person${(kind % 20_000).toString(36)}`,
    }
  })
}

function sizeOf({ recordingBytes: most }: SeedData, bytes: number): number {
  return most === undefined ? bytes : 1 + (bytes % most)
}

export function fileItem(file: RecordingFile, url: string, deletedMs: number | undefined): Json {
  const bare = file.id === undefined
  return {
    ...(bare ? {} : { id: file.id }),
    recording_start: wireTime(file.startMs, file.kind),
    recording_end: wireTime(file.endMs, file.kind >>> 5),
    file_type: file.file_type,
    ...(bare ? {} : { file_size: file.file_size }),
    download_url: url,
    ...(file.stored ? { external_storage_url: storedAt(file) } : {}),
    ...(bare ? {} : { status: 'completed', recording_type: file.recording_type }),
    ...(deletedMs === undefined ? {} : { deleted_time: isoSecond(deletedMs) }),
  }
}

/** Returns a participant's file, without `deleted_time`, which is documented for recording files only. */
export function participantFileItem(file: ParticipantFile, url: string): Json {
  return {
    ...fileItem(file, url, undefined),
    file_name: file.file_name,
    file_extension: 'MP4',
    user_id: file.user_id,
    ...(file.user_key === undefined ? {} : { user_key: file.user_key }),
  }
}

/**
 * Returns the key columns and the columns that all tables of files share. A file without an ID is
 * identified by type and times.
 */
export function fileTruths(sessionId: string, files: readonly RecordingFile[]): Json[] {
  const seen = new Map<string, number>()
  return files.map((file) => {
    const start = trueTime(file.startMs, file.kind)
    const end = trueTime(file.endMs, file.kind >>> 5)
    const file_key = file.id ?? `${file.file_type}@${start}@${end}`
    const ordinal = seen.get(file_key) ?? 0
    seen.set(file_key, ordinal + 1)
    const bare = file.id === undefined
    return {
      session_id: sessionId,
      file_key,
      ordinal: String(ordinal),
      id: file.id ?? null,
      recording_start: start,
      recording_end: end,
      file_type: file.file_type,
      file_size: bare ? null : String(file.file_size),
      status: bare ? null : 'completed',
      recording_type: bare ? null : file.recording_type,
    }
  })
}

export function storedAt(file: RecordingFile): string {
  return `objstore://acme-archive/${String(file.kind)}.${file.file_type.toLowerCase()}`
}

const VIEWS = [
  'shared_screen_with_speaker_view',
  'shared_screen_with_speaker_view',
  'gallery_view',
  'shared_screen_with_speaker_view(CC)',
  'shared_screen_with_gallery_view',
  'active_speaker',
  'shared_screen',
]
const TRANSCRIPTS = ['audio_transcript', 'original_transcript', 'local_transcript']
