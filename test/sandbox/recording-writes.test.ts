import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/core/time/time.ts'
import { videoToken } from './caller.ts'
import { type Listed, pathOf, told, withVideo } from './video-bench.ts'

const RECOVER = { action: 'recover' }
const DELETED = '2026-06-10T09:00:00Z'
const named = ({ recording_files }: Listed): string[] =>
  recording_files.flatMap(({ id }) => id ?? [])
const times = (listed: Listed | undefined): unknown[] => [
  ...new Set(listed?.recording_files.map(({ deleted_time }) => deleted_time)),
]

describe('a session’s recordings', () => {
  it('can be trashed and recovered unchanged', () =>
    withVideo({}, async ({ caller, live, shown }) => {
      const { session_id: id } = await live()
      const before = (await caller.get(pathOf(id))).body
      expect((await caller.send('DELETE', pathOf(id))).status).toBe(204)
      const trashed = await shown(id)
      expect(trashed).toMatchObject({ window: undefined, file: undefined })
      expect(times(trashed.session)).toEqual([DELETED])
      expect(told(await caller.get(pathOf(id)))).toEqual([404, 3301])
      expect(told(await caller.send('DELETE', pathOf(id)))).toEqual([404, 3301])
      expect((await caller.send('PUT', `${pathOf(id)}/status`, RECOVER)).status).toBe(204)
      expect(await shown(id)).toMatchObject({ session: undefined, file: undefined })
      const { body } = await caller.get(pathOf(id))
      expect(body.total_size).toBe(before.total_size)
      expect(named(body as unknown as Listed)).toEqual(named(before as unknown as Listed))
      expect(told(await caller.send('PUT', `${pathOf(id)}/status`, RECOVER))).toEqual([404, 3301])
    }))

  it.each([
    { days: 29, status: 204 },
    { days: 30, status: 204 },
    { days: 31, status: 404 },
  ])('can be recovered within 30 days: status $status after $days days', ({ days, status }) =>
    withVideo({}, async ({ sandbox, caller, live }) => {
      const listed = await live()
      const id = listed.session_id
      await caller.send('DELETE', pathOf(id))
      sandbox.advance(days * DAY_MS)
      expect((await caller.send('PUT', `${pathOf(id)}/status`, RECOVER)).status).toBe(status)
      expect((await caller.get(pathOf(id))).status).toBe(status === 204 ? 200 : 404)
    }),
  )

  it('disappear at once when deleted, from the list or from the trash', () =>
    withVideo({}, async ({ caller, live, shown }) => {
      for (const first of ['?action=delete', '?action=trash']) {
        const { session_id: id } = await live()
        expect((await caller.send('DELETE', `${pathOf(id)}${first}`)).status).toBe(204)
        if (first === '?action=trash')
          expect((await caller.send('DELETE', `${pathOf(id)}?action=delete`)).status).toBe(204)
        const none = { window: undefined, session: undefined, file: undefined }
        expect(await shown(id)).toEqual(none)
        expect(told(await caller.send('PUT', `${pathOf(id)}/status`, RECOVER))).toEqual([404, 3301])
      }
    }))
})

describe('a recording file', () => {
  it('can be trashed alone and recovered', () =>
    withVideo({}, async ({ caller, live, shown }) => {
      const listed = await live()
      const id = listed.session_id
      const [first = '', second = '', ...others] = named(listed)
      expect((await caller.send('DELETE', pathOf(id, second))).status).toBe(204)
      const after = await shown(id)
      expect(named(after.window!)).toEqual([first, ...others])
      expect(named(after.file!)).toEqual([second])
      expect(times(after.file)).toEqual([DELETED])
      expect(after.file).not.toHaveProperty('participant_video_files')
      expect(told(await caller.send('DELETE', pathOf(id, second)))).toEqual([404, 3301])
      const recover = () => caller.send('PUT', `${pathOf(id, second)}/status`, RECOVER)
      expect((await recover()).status).toBe(204)
      const back = await shown(id)
      expect(named(back.window!)).toEqual(named(listed))
      expect(back.file).toBeUndefined()
      expect(told(await recover())).toEqual([404, 3301])
    }))

  it('is trashed together with the files without an ID if it is the last one with an ID', () =>
    withVideo({}, async ({ caller, live, shown }) => {
      const listed = await live()
      const id = listed.session_id
      for (const file of named(listed)) await caller.send('DELETE', pathOf(id, file))
      const after = await shown(id)
      expect(after.window).toBeUndefined()
      expect(after.file?.recording_files).toHaveLength(listed.recording_files.length)
      expect(told(await caller.get(pathOf(id)))).toEqual([404, 3301])
      expect(told(await caller.send('DELETE', pathOf(id)))).toEqual([404, 3301])
      expect((await caller.send('PUT', `${pathOf(id)}/status`, RECOVER)).status).toBe(204)
      expect(named((await shown(id)).window!)).toEqual(named(listed))
    }))

  it.each([
    { days: 29, status: 204 },
    { days: 30, status: 204 },
    { days: 31, status: 404 },
  ])('can be recovered within 30 days: status $status after $days days', ({ days, status }) =>
    withVideo({}, async ({ sandbox, caller, live }) => {
      const listed = await live()
      const id = listed.session_id
      const [file = '', ...others] = named(listed)
      await caller.send('DELETE', pathOf(id, file))
      sandbox.advance(days * DAY_MS)
      const recovered = await caller.send('PUT', `${pathOf(id, file)}/status`, RECOVER)
      expect(recovered.status).toBe(status)
      const now = (await caller.get(pathOf(id))).body as unknown as Listed
      expect(named(now)).toEqual(status === 204 ? [file, ...others] : others)
    }),
  )

  it('disappears at once when deleted, and its session disappears with the last file', () =>
    withVideo({}, async ({ caller, live, shown }) => {
      const listed = await live()
      const id = listed.session_id
      const [first = '', ...others] = named(listed)
      await caller.send('DELETE', pathOf(id, first))
      for (const file of [first, ...others]) {
        const { status } = await caller.send('DELETE', `${pathOf(id, file)}?action=delete`)
        expect(status).toBe(204)
        const again = await caller.send('DELETE', `${pathOf(id, file)}?action=delete`)
        expect(told(again)).toEqual([404, 3301])
      }
      const none = { window: undefined, session: undefined, file: undefined }
      expect(await shown(id)).toEqual(none)
    }))

  it('keeps its own trash entry and expiry when the rest of its session is trashed', () =>
    withVideo({}, async ({ sandbox, caller, live, shown }) => {
      const listed = await live()
      const id = listed.session_id
      const [first = '', ...others] = named(listed)
      await caller.send('DELETE', pathOf(id, first))
      sandbox.advance(20 * DAY_MS)
      await caller.send('DELETE', pathOf(id))
      const both = await shown(id)
      expect([named(both.file!), named(both.session!)]).toEqual([[first], others])
      sandbox.advance(11 * DAY_MS)
      expect((await caller.send('PUT', `${pathOf(id)}/status`, RECOVER)).status).toBe(204)
      expect(named((await caller.get(pathOf(id))).body as unknown as Listed)).toEqual(others)
    }))

  it('keeps its download address when another file is trashed', () =>
    withVideo({ recordingBytes: 100 }, async ({ sandbox, caller, live }) => {
      const listed = await live()
      const [first] = named(listed)
      const [, second] = listed.recording_files as { download_url?: string }[]
      const authorization = `Bearer ${videoToken(sandbox)}`
      const bytes = async () => {
        const answer = await fetch(second?.download_url ?? '', { headers: { authorization } })
        return Buffer.from(await answer.arrayBuffer()).toString('hex')
      }
      const before = await bytes()
      await caller.send('DELETE', pathOf(listed.session_id, first))
      expect(await bytes()).toBe(before)
      await caller.send('DELETE', pathOf(listed.session_id))
      expect(Buffer.from(await bytes(), 'hex').toString()).toContain('3301')
    }))
})

it('writes to recordings persist in the next run of the same company', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-'))
  const stateFile = join(directory, 'state.json')
  let listed: Listed | undefined
  await withVideo({ stateFile }, async ({ caller, live }) => {
    listed = await live()
    await caller.send('DELETE', pathOf(listed.session_id, named(listed)[0]))
  })
  await withVideo({ stateFile }, async ({ shown }) => {
    const { file, window } = await shown(listed?.session_id ?? '')
    expect([...named(file!), ...named(window!)]).toEqual(named(listed!))
    expect(named(file!)).toHaveLength(1)
  })
  rmSync(directory, { recursive: true })
})
