import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { inEachWay } from '../../../src/api/call/send-until.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { getSessionRecordings } from '../../../src/resources/recordings.ts'
import { removeCollaborator } from '../../../src/resources/whiteboard-collaborators.ts'

/** Rules by which a service may expect an ID to be encoded twice, plausible and arbitrary ones. */
const SERVICES: Readonly<Record<string, (id: string) => boolean>> = {
  once: () => false,
  twice: () => true,
  'odd slashes': (id) => /^[+/]|\/\//.test(id),
  'any slash': (id) => id.includes('/'),
  'slash or plus': (id) => /[/+]/.test(id),
  'percent alone': (id) => id.includes('%'),
  'by length': (id) => id.length % 2 === 0,
}
const ids = fc.array(fc.stringMatching(/^[/+]?[a-c]{0,2}(\/|\/\/|\+|%|=)?[a-c]{1,3}=?$/), {
  minLength: 1,
  maxLength: 60,
})

test.each(Object.keys(SERVICES))(
  'every ID is found, whichever IDs the service expects encoded twice: %s',
  async (kind) => {
    const wantsTwice = SERVICES[kind] ?? (() => false)
    await fc.assert(
      fc.asyncProperty(ids, async (asked) => {
        const service = served(wantsTwice)
        for (const id of asked) expect(await service.ask(id)).toBe(id)
        const isOther = (id: string): boolean => wantsTwice(id) !== /^[+/]|\/\//.test(id)
        const others = asked.filter((id) => encodeURIComponent(id) !== id && isOther(id))
        expect(service.calls).toBe(asked.length + others.length)
      }),
      { numRuns: 60 },
    )
  },
)

test('two IDs in a path are tried in every encoding, and a write is repeated only after a 404', async () => {
  const sent: string[] = []
  const call = {
    operation: removeCollaborator,
    args: { path: { whiteboardId: 'a/b', collaboratorId: 'c+d' } },
    signal: undefined,
    read: () => undefined,
  }
  const tell = (status: number, answered: string) =>
    inEachWay(call, async ({ ways = {} }) => {
      sent.push(Object.values(ways).join(' '))
      if (sent.at(-1) !== answered) throw refusal(status, '34000')
      return undefined
    })
  await tell(404, 'once twice')
  expect(new Set(sent).size).toBe(sent.length)
  expect([sent[0], sent.at(-1)]).toEqual(['once once', 'once twice'])
  sent.length = 0
  await expect(tell(400, 'once twice')).rejects.toThrow('400')
  expect(sent).toEqual(['once once'])
})

test('an ID is missing only if no encoding finds it, and other errors do not count', async () => {
  const answers = (...given: [number, string][]) => {
    const queue = [...given]
    return inEachWay(asking('a+b'), async () => {
      const [status, code] = queue.shift() ?? [200, '']
      if (status !== 200) throw refusal(status, code)
      return 'found'
    })
  }
  await expect(answers([404, '3301'], [404, '3301'])).rejects.toMatchObject({ serviceCode: '3301' })
  await expect(answers([404, '3301'], [500, ''])).rejects.toMatchObject({ status: 500 })
  await expect(answers([404, '3301'], [403, ''])).rejects.toMatchObject({ status: 403 })
  // Code 1001, "the host does not exist", still is an answer about this session.
  await expect(answers([404, '1001'])).rejects.toMatchObject({ serviceCode: '1001' })
  expect(await answers([404, '3301'])).toBe('found')
  // Neither a proxy's 404 nor an answer about another ID proves that the ID is missing.
  expect(await answers([404, '404'], [404, '3301'])).toBe('found')
  expect(await answers([404, '404'], [404, '3301'], [404, '404'])).toBe('found')
  const stays: [number, string][] = [1, 2].map(() => [404, '404'])
  await expect(answers([404, '404'], [404, '3301'], ...stays)).rejects.toMatchObject({
    serviceCode: '3301',
  })
})

function served(wantsTwice: (id: string) => boolean) {
  const service = {
    calls: 0,
    ask: (id: string): Promise<string> =>
      inEachWay(asking(id), async ({ ways = {} }) => {
        service.calls++
        const same = encodeURIComponent(id) === id
        if (!same && (ways.sessionId === 'twice') !== wantsTwice(id)) throw refusal(404, '3301')
        return id
      }),
  }
  return service
}

function asking(sessionId: string) {
  return {
    operation: getSessionRecordings,
    args: { path: { sessionId } },
    signal: undefined,
    read: () => '',
  }
}

function refusal(status: number, serviceCode: string): ServiceError {
  const kind = status >= 500 ? 'backoff' : 'never'
  return new ServiceError(
    { operation: 'x', status, serviceCode, verdict: { kind } },
    { tried: 'x', came: String(status) },
  )
}
