import { expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, type World } from '../helpers/world.ts'
import { videoCaller } from '../sandbox/caller.ts'
import { type Listed, pathOf } from '../sandbox/video-bench.ts'

const RECOVER = { action: 'recover' }
/**
 * Recordings trashed in the first round leave the trash by the last. The trash is never empty between them: a
 * sync takes a suddenly empty trash for a fault.
 */
const ROUNDS = [
  { days: 0, from: '2026-06-10', to: '2026-07-08' },
  { days: 29, from: '2026-05-10', to: '2026-06-09' },
  { days: 2, from: '2026-04-10', to: '2026-05-09' },
]

test('a sync after writes of every kind equals the service', async () => {
  const world = await openWorld({ seed: 41 })
  await world.sync({ jobs: [recordings] })
  for (const { days, ...window } of ROUNDS) {
    await world.advance(days * DAY_MS)
    expect(await writeEverything(world, window)).toEqual(new Set([204]))
    const [result] = await world.sync({ jobs: [recordings], full: true })
    expect(result).toMatchObject({ state: 'complete', problems: [] })
    const { streams } = recordings
    await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  }
  await world.close()
})

/** Trashes, deletes and recovers sessions and files in turn; returns the response statuses. */
async function writeEverything(
  { sandbox, advance }: World,
  window: { from: string; to: string },
): Promise<Set<number>> {
  const send = async (method: string, path: string, body?: object): Promise<number> =>
    (await videoCaller(sandbox).send(method, path, body)).status
  const query = { ...window, page_size: '300' }
  const listed = await videoCaller(sandbox).drain('/videosdk/recordings', 'sessions', query)
  const statuses = new Set<number>()
  const write = async (...call: Parameters<typeof send>) => void statuses.add(await send(...call))
  for (const [n, one] of (listed as Listed[]).entries()) {
    const id = one.session_id
    const files = one.recording_files.flatMap((file) => file.id ?? [])
    const [first] = files
    switch (n % 8) {
      case 0:
        await write('DELETE', pathOf(id))
        break
      case 1:
        await write('DELETE', `${pathOf(id)}?action=delete`)
        break
      case 2:
        await write('DELETE', pathOf(id, first))
        break
      case 3:
        await write('DELETE', `${pathOf(id, first)}?action=delete`)
        break
      case 4:
        for (const file of files) await write('DELETE', pathOf(id, file))
        break
      case 5:
        // A session without its last file could not be trashed.
        if (files.length > 1) await write('DELETE', pathOf(id, first))
        await advance(1000)
        await write('DELETE', pathOf(id))
        break
      case 6:
        await write('DELETE', pathOf(id))
        await write('PUT', `${pathOf(id)}/status`, RECOVER)
        break
      default:
        await write('DELETE', pathOf(id, first))
        await write('PUT', `${pathOf(id, first)}/status`, RECOVER)
    }
  }
  expect(listed.length).toBeGreaterThan(16)
  return statuses
}
