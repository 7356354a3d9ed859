import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { fromBuffer, type ZipFile } from 'yauzl'
import type { Column } from '../../src/core/define/column.ts'
import type { Owner } from '../../src/core/define/owner.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import * as numberSettings from '../../src/resources/number-settings.ts'
import { peeringNumbers } from '../../src/resources/peering-numbers.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { recordingAudioFiles } from '../../src/resources/recording-details.ts'
import * as recorded from '../../src/resources/recordings.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { smsConsentDetails } from '../../src/resources/sms-consent-details.ts'
import { smsConsentNumbers, smsConsents } from '../../src/resources/sms-consents.ts'
import { storageLocations } from '../../src/resources/storage-locations.ts'
import { userDetails } from '../../src/resources/user-details.ts'
import { users } from '../../src/resources/users.ts'
import * as archived from '../../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { askDuckDb, metadataIn, quoted } from '../report/duckdb.ts'
import * as fixture from './fixture.ts'
import { endRows, insertRow } from './number-world.ts'

/** Owners, and `nobody` whose rows belong to none of them. Each text of a row names its owner. */
export const PARTS = ['qxalpha', 'qxbravo', 'qxcharlie', 'qxnobody'] as const
type Part = (typeof PARTS)[number]

export const OWNERS: readonly Owner[] = PARTS.slice(0, 3).map((part) => ({
  name: `Team ${part}`,
  mail: [`${part}@corp.example`],
  sessionKeys: [`^${part}`],
  sites: [`${part} site_name`],
  departments: [`${part} dept`],
}))

const NIGHTS = ['2026-11-10T03:00:00Z', '2026-11-20T03:00:00Z'] as const

/** The second night deletes a number, a user and a board of each part, and adds others. */
export async function plantOwned(warehouse: Warehouse): Promise<void> {
  for (const night of NIGHTS) {
    const { put, end } = await beginNight(warehouse, night)
    for (const [at, part] of PARTS.entries()) {
      const count = at + 2
      if (night === NIGHTS[0]) for (let n = 1; n <= count; n++) await plantPart(put, part, n)
      else await changePart({ put, end }, part, count)
    }
    if (night === NIGHTS[1]) await plantAccount(put)
    await sql`insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at)
      select account, 'recording', session_id, file_key, 'stored', sha256(file_key::bytea), 1000000, ${night}
      from svc.recording_files on conflict do nothing`.execute(warehouse.db)
  }
}

interface Night {
  put: Put
  /** Marks the rows of a stream that have this value as deleted. */
  end(stream: Stream, column: string, value: string): Promise<void>
}
type Put = (stream: Stream, tag: string, own: Readonly<Record<string, unknown>>) => Promise<void>

async function beginNight(warehouse: Warehouse, finishedAt: string): Promise<Night> {
  const run = async (job: string, slices: fixture.RunToInsert['slices']) =>
    await fixture.insertRun(warehouse, { account: 'hand', job, finishedAt, slices })
  const windows = fixture.sessionRun('hand').slices
  const all = (stream: Stream) => ({ stream: stream.name, slice: 'all' })
  const over = (stream: Stream) => windows.map((slice) => ({ ...slice, stream: stream.name }))
  const { slices: ofUsers } = fixture.usersRun('hand', finishedAt)
  const runs = new Map<string, number>()
  const jobs: [string, fixture.RunToInsert['slices'], readonly Stream[]][] = [
    ['users', ofUsers, [users]],
    ['user-details', [all(userDetails)], [userDetails]],
    ['phone-numbers', [all(phoneNumbers)], [phoneNumbers, phoneNumberAssignments]],
    ['number-settings', SETTINGS.map(all), SETTINGS],
    ['number-details', [all(smsConsentDetails)], [smsConsentDetails]],
    ['session-reports', windows, [sessionReports]],
    ['recordings', RECORDED.flatMap(over), RECORDED],
    ['recording-details', DETAILS.map(all), DETAILS],
    ['whiteboards', BOARDS.map(all), BOARDS],
    ['whiteboard-archives', ARCHIVED.map(all), ARCHIVED],
  ]
  for (const [job, slices, streams] of jobs) {
    const id = await run(job, slices)
    for (const { name } of streams) runs.set(name, id)
  }
  const seen = ({ name }: Stream) => ({
    at: finishedAt.replace('03:00', '02:50'),
    run: runs.get(name) ?? 0,
  })
  const put: Put = async (stream, tag, own) => {
    const filled = Object.entries(stream.columns).map(([name, column]) => [
      name,
      fill(column, `${tag} ${name}`),
    ])
    const row = { ...Object.fromEntries(filled), ...own }
    await insertRow(warehouse, [stream.name, row], seen(stream))
  }
  const end: Night['end'] = async (stream, column, value) =>
    await endRows(warehouse, [stream.name, column, value], seen(stream))
  return { put, end }
}

const SETTINGS = [
  smsConsents,
  smsConsentNumbers,
  numberSettings.portedOrders,
  numberSettings.sipGroups,
  numberSettings.sipTrunks,
  peeringNumbers,
]
const RECORDED = [
  recorded.recordingSessions,
  recorded.recordingFiles,
  recorded.recordingParticipantFiles,
  recorded.trashedRecordings,
  recorded.trashedRecordingFiles,
]
const DETAILS = [recordingAudioFiles, storageLocations]
const BOARDS = [whiteboards, whiteboardCollaborators]
const ARCHIVED = [
  archived.whiteboardSessions,
  archived.whiteboardParticipants,
  archived.whiteboardActivities,
]

/** A value of a column's type that names the row's owner wherever there is room for it. */
function fill({ pg }: Column, text: string): unknown {
  if (pg === 'text') return text
  if (pg === 'text[]') return [text]
  if (pg === 'jsonb') return JSON.stringify({ city: text })
  if (pg === 'boolean') return true
  return pg === 'bigint' ? 7 : '2026-11-05T10:00:00Z'
}

/** One number, session, recording, user and board. */
async function plantPart(put: Put, part: Part, n: number): Promise<void> {
  const tag = `${part}${n}`
  await put(users, tag, { id: `u-${tag}`, dept: `${part} dept`, status: 'inactive', type: 2 })
  await put(userDetails, tag, { id: `u-${tag}`, dept: `${part} dept` })
  await plantNumber(put, part, n)
  const rating = n % 2 === 0 ? 'bad' : 'good'
  const ratings = { audio_quality: rating, video_quality: rating, screen_share_quality: null }
  const key = { session_key: `${part} key` }
  const id = `s-${tag}`
  await put(sessionReports, tag, { id, ...key, ...ratings, user_count: 3 })
  await put(recorded.recordingSessions, tag, { session_id: id, ...key, trashed: false })
  await put(recorded.recordingFiles, tag, { session_id: id, file_key: `f-${tag}`, ordinal: 0 })
  const participant = { session_id: id, file_key: `p-${tag}`, ordinal: 0 }
  await put(recorded.recordingParticipantFiles, tag, participant)
  await put(recordingAudioFiles, tag, { ...participant, file_key: `a-${tag}` })
  const trashed = { session_id: `t-${tag}` }
  await put(recorded.trashedRecordings, tag, { ...trashed, ...key })
  await put(recorded.trashedRecordingFiles, tag, { ...trashed, file_key: `t-${tag}`, ordinal: 0 })
  await plantBoard(put, part, n)
}

async function plantNumber(put: Put, part: Part, n: number): Promise<void> {
  const tag = `${part}${n}`
  const id = `n-${tag}`
  const site = { site_name: n % 2 === 0 ? `${part} site_name` : 'Shared site' }
  const capability = ['Messaging', 'EmergencyCalls']
  await put(phoneNumbers, tag, { id, status: 'Normal', ...site, capability })
  // Odd ones belong by the department of their user, even ones by their site.
  const holder = n % 2 === 0 ? 'Queue' : 'User'
  const to = { assigned_to_type: holder, assigned_to_id: `u-${tag}`, ordinal: 0 }
  await put(phoneNumberAssignments, tag, { phone_number_id: id, ...to })
  await put(smsConsents, tag, { consent_id: `c-${tag}`, used_number: 61234, status: false })
  await put(smsConsentDetails, tag, { consent_id: `c-${tag}`, capacity: 61234 })
  await put(smsConsentNumbers, tag, { consent_id: `c-${tag}`, phone_number_id: id })
}

async function plantBoard(put: Put, part: Part, n: number): Promise<void> {
  const tag = `${part}${n}`
  const board = { whiteboard_id: `w-${tag}` }
  await put(whiteboards, tag, { ...board, share_scope: 2, share_role: 2, trashed: false })
  const owner = { collaborator_id: 'o', role: 0, collaborator_type: 0, user_id: `u-${tag}` }
  await put(whiteboardCollaborators, tag, { ...board, ...owner })
  const guest = { collaborator_id: 'g', role: 4, collaborator_type: 1, user_id: null }
  await put(whiteboardCollaborators, tag, { ...board, ...guest })
  const session = { id: `ws-${tag}`, start_time: '2026-11-05T10:00:00Z' }
  await put(archived.whiteboardSessions, tag, { ...board, ...session })
  const of = { session_id: `ws-${tag}`, email: '' }
  await put(archived.whiteboardParticipants, tag, { ...of, ordinal: 0 })
  await put(archived.whiteboardActivities, tag, { ...of, id: `a-${tag}` })
}

async function changePart({ put, end }: Night, part: Part, count: number): Promise<void> {
  const tag = `${part}1`
  await end(phoneNumbers, 'id', `n-${tag}`)
  await end(phoneNumberAssignments, 'phone_number_id', `n-${tag}`)
  await end(users, 'id', `u-${tag}`)
  await end(whiteboards, 'whiteboard_id', `w-${tag}`)
  await end(whiteboardCollaborators, 'whiteboard_id', `w-${tag}`)
  await end(phoneNumberAssignments, 'phone_number_id', `n-${part}2`)
  await end(recorded.recordingSessions, 'session_id', `s-${tag}`)
  await plantPart(put, part, count + 1)
}

/** Things of the whole account, whose names no cut may show. */
async function plantAccount(put: Put): Promise<void> {
  const tag = 'qxnobody'
  await put(numberSettings.portedOrders, tag, { status: 'Rejected' })
  await put(numberSettings.sipGroups, tag, {})
  await put(numberSettings.sipTrunks, tag, {})
  await put(peeringNumbers, tag, {})
  await put(storageLocations, tag, {})
}

/** All text in a file of a report: of each part of a workbook, and of all rows and metadata of Parquet. */
export async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path)
  if (path.endsWith('.xlsx')) return await zipText(bytes)
  if (!path.endsWith('.parquet')) return bytes.toString('utf8')
  const rows = await askDuckDb(`select * from ${quoted(path)}`)
  return JSON.stringify([rows, await metadataIn(path)]) + bytes.toString('latin1')
}

async function zipText(bytes: Buffer): Promise<string> {
  const open = promisify((buffer: Buffer, done: (error: Error | null, zip: ZipFile) => void) =>
    fromBuffer(buffer, { lazyEntries: true }, done),
  )
  const zip = await open(bytes)
  const texts: string[] = []
  const read = promisify(zip.openReadStream.bind(zip))
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject).on('end', resolve)
    zip.on('entry', (entry: Parameters<typeof read>[0] & { fileName: string }) => {
      const take = async (): Promise<void> => {
        const parts: Buffer[] = []
        for await (const part of await read(entry)) parts.push(part as Buffer)
        texts.push(entry.fileName, Buffer.concat(parts).toString('utf8'))
        zip.readEntry()
      }
      take().catch(reject)
    })
    zip.readEntry()
  })
  return texts.join('\n')
}
