import { describe, expect, it } from 'vitest'
import type { Switches } from '../../sandbox/seed-data/options.ts'
import { type Listed, pathOf, told, type VideoBench, withVideo } from './video-bench.ts'

const RECOVER = { action: 'recover' }
const file = ({ recording_files }: Listed): string => recording_files[0]?.id ?? ''

/** Returns the responses to the four writes to a session's recording. */
async function answersOf({ caller }: VideoBench, listed: Listed): Promise<unknown[]> {
  const id = listed.session_id
  const answers = [
    await caller.send('PUT', `${pathOf(id)}/status`, RECOVER),
    await caller.send('PUT', `${pathOf(id, file(listed))}/status`, RECOVER),
    await caller.send('DELETE', pathOf(id, file(listed))),
    await caller.send('DELETE', pathOf(id)),
  ]
  return answers.map(told)
}

function fourTimes(status: number, code: number): unknown[] {
  return Array.from({ length: 4 }, () => [status, code])
}

describe('a write to a recording', () => {
  it('is refused if the session has no recording', () =>
    withVideo({}, async (bench) => {
      const none: Listed = { session_id: 'none', recording_files: [{ id: 'f', file_type: 'MP4' }] }
      expect(await answersOf(bench, none)).toEqual(fourTimes(404, 3301))
      const { session_id } = await bench.live()
      for (const name of ['none', ''])
        expect((await bench.caller.send('DELETE', pathOf(session_id, name))).status).toBe(404)
    }))

  it('is refused for the file of a single participant', () =>
    withVideo({}, async ({ caller, live }) => {
      const { session_id, participant_video_files: [own] = [] } = await live()
      expect(own?.id).toMatch(/^\w+$/)
      expect(told(await caller.send('DELETE', pathOf(session_id, own?.id)))).toEqual([404, 3301])
    }))

  it('cannot delete the recording of a live session', () =>
    withVideo({}, async (bench) => {
      const query = { from: '2026-06-10', to: '2026-06-10' }
      const { body } = await bench.caller.get('/videosdk/sessions', query)
      const [live] = body.sessions as { id: string }[]
      const listed = {
        session_id: live?.id ?? '',
        recording_files: [{ id: 'f', file_type: 'MP4' }],
      }
      expect(await answersOf(bench, listed)).toEqual([
        [404, 3301],
        [404, 3301],
        [400, 3303],
        [400, 3303],
      ])
    }))

  it('requires a known action', () =>
    withVideo({}, async ({ caller, live }) => {
      const listed = await live()
      for (const path of [pathOf(listed.session_id), pathOf(listed.session_id, file(listed))]) {
        expect(told(await caller.send('DELETE', `${path}?action=purge`))).toEqual([400, 300])
        for (const body of [undefined, {}, { action: 'delete' }, { ...RECOVER, more: 1 }])
          expect(told(await caller.send('PUT', `${path}/status`, body))).toEqual([400, 300])
      }
    }))

  const hosts: [string, number, number][] = [
    ['missing', 404, 1001],
    ['elsewhere', 400, 1010],
  ]
  it.each(hosts)('is refused if the host is %s, with status %i and code %i', (host, status, code) =>
    withVideo({}, async (bench) => {
      const listed = await bench.live()
      bench.change(listed.session_id, { host })
      expect(told(await bench.caller.get(pathOf(listed.session_id)))).toEqual([status, code])
      expect(await answersOf(bench, listed)).toEqual(fourTimes(status, code))
    }),
  )

  it('may be answered with 200 and an error in the body, and then changes nothing', () =>
    withVideo({}, async (bench) => {
      const { session_id: id } = await bench.live()
      bench.change(id, { unrecoverable: true })
      await bench.caller.send('DELETE', pathOf(id))
      const recovered = await bench.caller.send('PUT', `${pathOf(id)}/status`, RECOVER)
      expect(told(recovered)).toEqual([200, 200])
      expect(recovered.body.message).toMatch(/right permissions/)
      expect((await bench.shown(id)).session).toBeDefined()
    }))

  const lacking: [keyof Switches, unknown[]][] = [
    ['videoSessions', fourTimes(400, 200)],
    [
      'cloudRecording',
      [
        [404, 3301],
        [404, 3301],
        [204, undefined],
        [403, 403],
      ],
    ],
    [
      'hostMayDelete',
      [
        [404, 3301],
        [404, 3301],
        [403, 403],
        [204, undefined],
      ],
    ],
  ]
  it.each(lacking)('has the documented response without the switch %s', (name, refused) =>
    withVideo({}, async ({ live }) => {
      const listed = await live()
      await withVideo({ switches: { [name]: false } }, async (bench) =>
        expect(await answersOf(bench, listed)).toEqual(refused),
      )
    }),
  )
})

it('an account without video sessions cannot use any video operation', () =>
  withVideo({ switches: { videoSessions: false } }, async ({ caller }) => {
    const span = { from: '2026-06-01', to: '2026-06-10' }
    for (const answer of [
      await caller.get('/videosdk/recordings', span),
      await caller.get('/videosdk/sessions', span),
      await caller.get(pathOf('none')),
      await caller.send('POST', '/videosdk/sessions', { session_name: 's' }),
    ])
      expect(told(answer)).toEqual([400, 200])
  }))
