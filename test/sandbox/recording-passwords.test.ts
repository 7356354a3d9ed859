import { expect, it } from 'vitest'
import { DAY_MS, utcDay } from '../../src/core/time/time.ts'
import { videoToken } from './caller.ts'
import { NOW_MS, withVideo } from './video-bench.ts'

interface Listed {
  recording_files: { download_url: string }[]
}

it('password-protected recordings require the bearer token and the JWT in the query', () =>
  withVideo({ recordingBytes: 50, accounts: [{}, {}] }, async ({ sandbox, caller }) => {
    const query = { from: utcDay(NOW_MS - 28 * DAY_MS), to: utcDay(NOW_MS) }
    const all = (await caller.drain('/videosdk/recordings', 'sessions', query)) as Listed[]
    const [own, other] = [videoToken(sandbox), videoToken(sandbox, { ordinal: 1 })]
    const ask = async (url: string, bearer: string, shown?: string) => {
      const address = shown === undefined ? url : `${url}&access_token=${shown}`
      return (await fetch(address, { headers: { authorization: `Bearer ${bearer}` } })).status
    }
    const counts = { open: 0, closed: 0 }
    for (const { recording_files: files } of all) {
      const urls = files.map(({ download_url }) => download_url)
      const states = new Set(await Promise.all(urls.map((url) => ask(url, own))))
      // A password protects all files of a recording.
      expect(states.size).toBe(1)
      counts[states.has(200) ? 'open' : 'closed']++
      const [url = ''] = urls
      expect(await ask(url, own, own)).toBe(200)
      if (states.has(200)) continue
      expect(states).toEqual(new Set([403]))
      expect(await ask(url, own, other)).toBe(403)
      expect(await ask(url, own, 'dat.1')).toBe(403)
    }
    expect(counts.open).toBeGreaterThan(counts.closed)
    expect(counts.closed).toBeGreaterThan(2)
  }))
