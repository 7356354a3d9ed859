import { createHash } from 'node:crypto'
import { DAY_MS, utcInstant } from '../src/core/time/time.ts'

/** When the bench takes place, for the service as for the engine. */
export const BENCH_NOW_MS = Date.parse('2026-07-08T02:30:00Z')

const SPAN_MS = 180 * DAY_MS

/** The start of the n-th of `count` session reports: spread evenly, oldest first, the last an hour ago. */
export function startOf(index: number, count: number): number {
  const firstMs = Math.floor((BENCH_NOW_MS - SPAN_MS) / DAY_MS) * DAY_MS
  const lastMs = BENCH_NOW_MS - 3_600_000
  return firstMs + Math.floor(((lastMs - firstMs) * index) / count)
}

/** The n-th session report as the service writes it: every field, some 430 bytes. */
export function sessionReport(index: number, count: number): Record<string, unknown> {
  const bytes = createHash('md5').update(`session ${index}`).digest()
  const pick = <T>(list: readonly T[], byte: number): T =>
    list[(bytes[byte] ?? 0) % list.length] as T
  const startMs = startOf(index, count)
  const seconds = 120 + ((bytes.readUInt16LE(0) * 7) % 7_000)
  const room = bytes.readUInt16LE(2) % 900
  return {
    id: bytes.toString('base64'),
    session_name: `${pick(SUBJECTS, 4)} ${room}, ${pick(TEAMS, 5)}`,
    session_key: `${pick(KEYS, 6)}-${String(room).padStart(5, '0')}`,
    start_time: utcInstant(startMs),
    end_time: utcInstant(startMs + seconds * 1000),
    duration: clockTime(seconds),
    user_count: 2 + ((bytes[7] ?? 0) % 14),
    has_voip: (bytes[8] ?? 0) < 240,
    has_video: (bytes[9] ?? 0) < 200,
    has_screen_share: (bytes[10] ?? 0) < 90,
    has_recording: (bytes[11] ?? 0) < 40,
    has_pstn: (bytes[12] ?? 0) < 25,
    has_session_summary: (bytes[13] ?? 0) < 60,
    audio_quality: pick(QUALITIES, 14),
    video_quality: pick(QUALITIES, 15),
    screen_share_quality: pick(QUALITIES, 1),
  }
}

function clockTime(seconds: number): string {
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
}

const SUBJECTS = ['Consultation', 'Branch advice', 'Class', 'Claims desk', 'Interview', 'Rückfrage']
const TEAMS = ['cardiology west', 'mortgages north', 'languages year 9', 'motor claims', 'people']
const KEYS = ['consult', 'advice', 'class', 'claims', 'hiring']
const QUALITIES = ['good', 'good', 'good', 'good', 'good', 'fair', 'fair', 'poor', 'bad']
