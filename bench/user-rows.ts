import { createHash } from 'node:crypto'
import { DAY_MS, utcInstant } from '../src/core/time/time.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

export const STATUSES = ['active', 'inactive', 'pending'] as const

/** Where each status begins, and the end: 85 % are active, 12 % inactive, the rest invited. */
export function statusBounds(count: number): [number, number, number, number] {
  return [0, Math.floor(count * 0.85), Math.floor(count * 0.97), count]
}

/** The n-th user as the service lists them: some 560 bytes. */
export function userRecord(index: number, count: number): Record<string, unknown> {
  const bytes = createHash('md5').update(`user ${index}`).digest()
  const pick = <T>(list: readonly T[], byte: number): T =>
    list[(bytes[byte] ?? 0) % list.length] as T
  const [, inactive, pending] = statusBounds(count)
  const first = pick(FIRST_NAMES, 0)
  const last = pick(LAST_NAMES, 1)
  const createdMs = BENCH_NOW_MS - (10 + (bytes.readUInt16LE(2) % 2_000)) * DAY_MS
  return {
    id: bytes.toString('base64url'),
    first_name: first,
    last_name: last,
    display_name: `${first} ${last}`,
    email: `${first}.${last}.${index.toString(36)}@corp.example`.toLowerCase(),
    type: (bytes[4] ?? 0) < 30 ? 1 : 2,
    role_name: 'Member',
    pmi: 3_000_000_000 + (bytes.readUInt32LE(5) >>> 3),
    use_pmi: (bytes[9] ?? 0) < 40,
    personal_meeting_url: `https://svc.example/j/${bytes.readUInt32LE(5)}`,
    timezone: pick(ZONES, 10),
    verified: (bytes[11] ?? 0) < 230 ? 1 : 0,
    dept: `${pick(DEPARTMENTS, 12)} 0000`,
    user_created_at: utcInstant(createdMs),
    last_login_time: utcInstant(BENCH_NOW_MS - bytes.readUInt16LE(13) * 60_000),
    last_client_version: `6.${(bytes[15] ?? 0) % 9}.${(bytes[3] ?? 0) % 40}`,
    group_ids: [bytes.toString('hex', 0, 11)],
    language: 'en-US',
    phone_number: '',
    status: index < inactive ? 'active' : index < pending ? 'inactive' : 'pending',
    role_id: '2',
  }
}

const FIRST_NAMES = [
  'Amara',
  'Björn',
  'Chen',
  'Dana',
  'Elif',
  'Femi',
  'Grace',
  'Hugo',
  'Ines',
  'Jun',
]
const LAST_NAMES = [
  'Okafor',
  'Larsen',
  'Wei',
  'Cohen',
  'Yilmaz',
  'Adeyemi',
  'Müller',
  'Silva',
  'Kato',
]
const DEPARTMENTS = ['Cardiology', 'Mortgages', 'Languages', 'Motor claims', 'People', 'Branches']
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland']
