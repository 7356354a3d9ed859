import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEvidence } from '../../src/account/open-evidence.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { account, useConfigFolder } from '../config/config-folder.ts'
import { startWitness, type WitnessServer } from '../helpers/witness-server.ts'

const { load, refusal } = useConfigFolder()
let servers: WitnessServer[]
beforeAll(async () => {
  servers = [await startWitness('w.example/1', []), await startWitness('w.example/2', [])]
})
afterAll(async () => {
  for (const server of servers) await server.close()
})

const settings = (asked: readonly string[], needed: number | null) =>
  [...account, 'evidence:', '  witnesses:', `    needed: ${needed}`, '    asked:']
    .concat(asked.map((one) => `      - ${one}`))
    .join('\n')
const open = (text: string) => openEvidence({ config: load(text).config, clock: systemClock })
const asked = () => servers.map(({ url, vkey }) => `{url: '${url}', key: ${vkey}}`)

describe('evidence.witnesses', () => {
  it('are called at their configured URLs, and all must cosign unless `needed` is set', async () => {
    const { services = [], needed } = open(settings(asked(), null)).witnesses ?? {}
    expect(needed).toBe(2)
    expect(services.map(({ key, place }) => [key.text, place])).toEqual(
      servers.map(({ vkey, url }) => [vkey, url]),
    )
    const { signal } = new AbortController()
    expect(await services[1]?.add('old 0\n\n', signal)).toMatchObject({ status: 404 })
    expect(servers.map((server) => server.asked)).toEqual([[], ['old 0\n\n']])
    expect(open(settings(asked(), 1)).witnesses?.needed).toBe(1)
    expect(open(account.join('\n')).witnesses).toBeUndefined()
  })

  it('are rejected if a URL or key is invalid, or if there are fewer than `needed`', () => {
    const [one = ''] = asked()
    expect(refusal(settings([one], 2))).toContain('no more than the witnesses that are asked')
    expect(refusal(settings([one.replace('http:', 'ftp:')], 1))).toContain('an https URL')
    expect(refusal(settings([one.replace('+B', '+')], 1))).toContain('a verifier key')
    expect(() => open(settings([one, one], 1))).toThrow('another witness has the same key')
    expect(() => open(settings([one.replace('key: w', 'key: v')], 1))).toThrow(
      'its ID does not match',
    )
  })
})
