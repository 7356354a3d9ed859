import type { WireRecord } from '../../src/core/values/json.ts'
import type { Asked, Told } from '../cli/altering-proxy.ts'

/** The word that begins every planted value, so that one search finds them all. */
export const PLANTED = 'planted'

/** A policy for every field in which `plant` writes. */
export const POLICY = {
  users: { email: 'hash', job_title: 'drop', dept: 'hash' },
  user_details: { email: 'hash', job_title: 'drop', dept: 'hash' },
  session_reports: { session_name: 'drop' },
  recording_sessions: { session_name: 'hash' },
  trashed_recordings: { session_name: 'hash', 'participant_video_files.file_name': 'drop' },
  recording_details: { session_name: 'hash', 'participant_video_files.file_name': 'drop' },
  recording_participant_files: { file_name: 'drop' },
  recording_audio_files: { file_name: 'drop' },
  phone_numbers: { display_name: 'drop', 'site.name': 'drop' },
  phone_number_assignments: { assigned_to_name: 'hash' },
  phone_number_details: { display_name: 'drop', 'site.name': 'drop' },
  phone_number_assignment_details: { assigned_to_name: 'hash' },
  notifications: { visitor_email: 'hash', visitor_name: 'drop' },
} as const

/** Writes planted values into the service's answers; the same record gets the same values each time. */
export function plant({ path }: Asked, { body }: Told): void {
  if (typeof body !== 'object' || body === null) return
  const answer = body as Record<string, unknown>
  if (path.endsWith('/users')) for (const user of listOf(answer.users)) plantUser(user)
  if (/\/users\/[^/]+$/.test(path)) plantUser(answer)
  if (path.endsWith('/videosdk/sessions') || path.endsWith('/videosdk/recordings'))
    for (const session of listOf(answer.sessions)) plantSession(session)
  if (path.endsWith('/recordings') && !Array.isArray(answer.sessions)) plantSession(answer)
  if (path.endsWith('/number_management/numbers'))
    for (const number of listOf(answer.numbers)) plantNumber(number)
  if (/\/number_management\/numbers\/[^/]+$/.test(path)) plantNumber(answer)
}

function plantUser(user: Record<string, unknown>): void {
  const { email } = user
  if (typeof email !== 'string') return
  user.email = `Planted.${email}`
  user.job_title = 'planted title'
  user.dept = `planted dept ${email.length}`
}

function plantSession(session: Record<string, unknown>): void {
  session.session_name = 'planted session'
  for (const name of ['participant_video_files', 'participant_audio_files'])
    for (const file of listOf(session[name])) file.file_name = 'planted-file.m4a'
}

function plantNumber(number: Record<string, unknown>): void {
  number.display_name = 'planted line'
  number.site = { ...(number.site as WireRecord | undefined), name: 'planted site' }
  for (const held of listOf(number.assigned_list)) held.assigned_to_name = 'Planted Person'
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : []
}
