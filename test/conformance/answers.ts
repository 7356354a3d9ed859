import { startSandbox } from '../../sandbox/server/server.ts'
import { fetchToken, oauthCaller, videoCaller } from '../sandbox/caller.ts'
import { SMALL_SIZES } from '../sandbox/sizes.ts'
import type { Answers, Asking, Body } from './asking.ts'
import { authorizationAnswers } from './authorization-answers.ts'
import { numberCalls } from './number-calls.ts'

const NOW_MS = Date.parse('2026-06-10T09:00:00Z')
const READINGS = { lastToken: 'empty' } as const

/** A small company with all that a plan can have, asked by plain calls for everything it can show. */
export async function gatherAnswers(): Promise<Answers> {
  const options = { nowMs: NOW_MS, sizes: SMALL_SIZES, readings: READINGS }
  const sandbox = await startSandbox(options)
  const answers: Answers = new Map()
  const take = (id: string, body: unknown) => answers.set(id, [...(answers.get(id) ?? []), body])
  const keep: Asking['keep'] = async (id, asked) => {
    const { status, body } = await asked
    if (status > 204) throw new Error(`${id}: ${status} ${JSON.stringify(body)}`)
    take(id, body)
    return body
  }
  try {
    for (const [id, body] of await authorizationAnswers(sandbox)) take(id, body)
    take('oauth.token.account_credentials', (await fetchToken(sandbox)).body)
    const asking: Asking = {
      sandbox,
      oauth: await oauthCaller(sandbox),
      video: videoCaller(sandbox),
      keep,
      async list(id, caller, { path, items, query = {} }) {
        const records: Body[] = []
        for (let token = ''; ; ) {
          const more = token === '' ? query : { ...query, next_page_token: token }
          const body = await keep(id, caller.get(path, more))
          records.push(...(body[items] as Body[]))
          token = String(body.next_page_token ?? '')
          if (token === '') return records
        }
      },
    }
    await userCalls(asking)
    await whiteboardCalls(asking)
    await videoCalls(asking)
    await numberCalls(asking)
    return answers
  } finally {
    await sandbox.close()
  }
}

async function userCalls({ oauth, keep, list }: Asking): Promise<void> {
  for (const status of ['active', 'inactive', 'pending'])
    await list('users.list', oauth, {
      path: '/users',
      items: 'users',
      query: { status, page_size: '300' },
    })
  const { users } = await keep('users.list', oauth.get('/users', { page_number: '2' }))
  for (const { id } of users as Body[]) await keep('users.get', oauth.get(`/users/${String(id)}`))
}

const MONTHS = [
  ['2026-03-12', '2026-04-10'],
  ['2026-04-10', '2026-05-09'],
  ['2026-05-09', '2026-06-07'],
].map(([from = '', to = '']) => ({ from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` }))

async function whiteboardCalls({ oauth, keep, list }: Asking): Promise<void> {
  const sessions: Body[] = []
  for (const month of MONTHS) {
    const query = { ...month, page_size: '300' }
    const path = '/whiteboards/sessions'
    sessions.push(
      ...(await list('whiteboard_sessions.list', oauth, { path, items: 'sessions', query })),
    )
  }
  for (const { id, start_time, end_time } of sessions.slice(-20))
    await list('whiteboard_sessions.get', oauth, {
      path: `/whiteboards/sessions/${encodeURIComponent(String(id))}`,
      items: 'activities',
      query: { from: instant(start_time), to: instant(end_time) },
    })
  await labelCalls({ oauth, keep })
  const boards: Body[] = []
  for (const month of MONTHS) {
    const query = { ...month, date_filter_type: 'created_date', page_size: '50' }
    const place = { path: '/whiteboards', items: 'whiteboards', query }
    boards.push(...(await list('whiteboards.list', oauth, place)))
  }
  await boardCalls({ oauth, keep }, boards)
}

function instant(time: unknown): string {
  return new Date(String(time)).toISOString()
}

type Caring = Pick<Asking, 'oauth' | 'keep'>

async function labelCalls({ oauth, keep }: Caring): Promise<void> {
  const path = '/whiteboards/classification_labels'
  const { labels } = await keep('classification_labels.list', oauth.get(path))
  for (const { classification_id: id } of labels as Body[])
    await keep('classification_labels.get', oauth.get(`${path}/${String(id)}`))
  const label = { name: 'Ours', color: '#1A9C4B', sensitivity_level: 3 }
  await keep('classification_labels.create', oauth.send('POST', path, label))
}

async function boardCalls({ oauth, keep }: Caring, boards: readonly Body[]): Promise<void> {
  let shared = false
  for (const { whiteboard_id: id, locked } of boards.slice(0, 60)) {
    const people = `/whiteboards/${String(id)}/collaborator`
    const content = `/whiteboards/${String(id)}/content`
    const listed = await oauth.get(people)
    // A board may be withheld from the caller.
    if (listed.status !== 200) continue
    await keep('whiteboard_collaborators.list', Promise.resolve(listed))
    const page = await oauth.get(content)
    if (page.status === 200) await keep('whiteboard_content.get', Promise.resolve(page))
    if (shared || locked === true || page.status !== 200) continue
    shared = true
    const collaborators = [
      { email: 'somebody@elsewhere.example', role: 2 },
      { channel_id: 'channel-7', role: 3 },
    ]
    const user = (await oauth.get('/users/me')).body
    const also = { email: String(user.email), role: 3 }
    const body = { collaborators: [...collaborators, also] }
    await keep('whiteboard_collaborators.add', oauth.send('POST', people, body))
    const content_objects = [{ type: 'note', text: 'x' }]
    await keep('whiteboard_content.save', oauth.send('POST', content, { content_objects }))
  }
}

async function videoCalls({ video, keep, list }: Asking): Promise<void> {
  const path = '/videosdk/recordings'
  const of = (query: Record<string, string>) =>
    list('recordings.list', video, {
      path,
      items: 'sessions',
      query: { ...query, page_size: '300' },
    })
  const days = MONTHS.map(({ from, to }) => ({ from: from.slice(0, 10), to: to.slice(0, 10) }))
  const live = []
  for (const window of days) live.push(...(await of(window)))
  await of({ trash: 'true', trash_type: 'session_recordings' })
  await of({ trash: 'true', trash_type: 'recording_file' })
  const fields = { include_fields: 'download_access_token' }
  for (const { session_id: id } of live.slice(-80)) {
    const one = `/videosdk/sessions/${encodeURIComponent(encodeURIComponent(String(id)))}/recordings`
    const answer = await video.get(one, fields)
    if (answer.status === 200) await keep('recordings.get', Promise.resolve(answer))
  }
  for (const window of days)
    await list('session_reports.list', video, {
      path: '/videosdk/sessions',
      items: 'sessions',
      query: { ...window, type: 'past', page_size: '300' },
    })
  for (const auto_recording of ['cloud', 'none']) {
    const asked = { session_name: 's', session_password: 'a1', settings: { auto_recording } }
    await keep('sessions.create', video.send('POST', '/videosdk/sessions', asked))
  }
  await storageCalls({ video, keep })
}

async function storageCalls({ video, keep }: Pick<Asking, 'video' | 'keep'>): Promise<void> {
  const all = '/videosdk/settings/storage/location'
  const listed = (await keep('storage_locations.list', video.get(all))) as unknown as Body[]
  for (const { id } of listed)
    await keep('storage_locations.get', video.get(`${all}/${String(id)}`))
  const s3 = {
    access_key: { id: 'i', key: 'k' },
    authentication_mechanism: 'objstore_access_key',
    bucket: 'ours',
    region: 'eu-west-9',
  }
  const location = { name: 'Ours', provider: 'objstore_s3', s3 }
  await keep('storage_locations.create', video.send('POST', all, location))
}
