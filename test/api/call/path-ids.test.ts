import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { passingStores } from '../../../src/account/passing-stores.ts'
import { inEachWay } from '../../../src/api/call/each-way.ts'
import { createPathIds } from '../../../src/api/call/path-ids.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { getSessionRecordings } from '../../../src/resources/recordings.ts'
import { removeCollaborator } from '../../../src/resources/whiteboard-collaborators.ts'

/** Ways in which a service may read the IDs in its paths, some of which nobody has a name for. */
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

/** A rule that names slashes and plus signs names percent signs as well. */
const hasPercent = (id: string): boolean => id.includes('%')

test.each(Object.keys(SERVICES))('every ID is found by a service of the kind: %s', async (kind) => {
  const wantsTwice = SERVICES[kind] ?? (() => false)
  await fc.assert(
    fc.asyncProperty(ids, async (asked) => {
      const { found } = passingStores()
      const service = served(wantsTwice)
      const pathIds = createPathIds(found)
      for (const id of asked) expect(await service.ask(pathIds, id)).toBe(id)
      if (kind === 'by length') return
      const again = async (known = pathIds): Promise<number> => {
        service.calls = 0
        for (const id of asked) expect(await service.ask(known, id)).toBe(id)
        return service.calls - asked.length
      }
      // Whoever has found an ID knows how all of its kind are written.
      expect(await again()).toBe(0)
      // So does whoever opens the account next, if the service follows a rule that has a name.
      if (kind !== 'percent alone' && !(kind === 'slash or plus' && asked.some(hasPercent)))
        expect(await again(createPathIds(found))).toBe(0)
    }),
    { numRuns: 60 },
  )
})

test('a rule without a name costs each process one more call for each kind of ID', async () => {
  const kinds = ['a/b', 'a%b', 'a+b', 'a+b=', '+ab', '+ab=', '+a+b', '+a+b=', '+a%b']
  const asked = [...kinds, 'a+c', '+c', '%c', 'c%d']
  const { found } = passingStores()
  const service = served((id) => /[/+]/.test(id))
  const first = createPathIds(found)
  for (const id of asked) await service.ask(first, id)
  const later = createPathIds(found)
  for (const extra of [7, 0]) {
    service.calls = 0
    for (const id of asked) await service.ask(later, id)
    expect(service.calls - asked.length).toBe(extra)
  }
})

test('a way that another answer proves wrong is given up', async () => {
  const { found } = passingStores()
  const pathIds = createPathIds(found)
  await served(() => true).ask(pathIds, 'a+b')
  expect(found.all()).toMatchObject([{ variant: 'reserved' }])
  const service = served(() => false)
  expect(await service.ask(pathIds, 'a+b')).toBe('a+b')
  expect(found.all()).toMatchObject([{ variant: 'odd-slashes' }])
  service.calls = 0
  await service.ask(pathIds, 'a+c')
  expect(service.calls).toBe(1)
})

test('two IDs in one path are tried in every combination, a write where one is not there alone', async () => {
  const sent: string[] = []
  const call = {
    operation: removeCollaborator,
    args: { path: { whiteboardId: 'a/b', collaboratorId: 'c+d' } },
    signal: undefined,
    read: () => undefined,
  }
  const tell = (status: number, answered: string) =>
    inEachWay(createPathIds(undefined), call, async ({ ways = {} }) => {
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

test('an ID is gone only when no way finds it, and a failure on the way is no such answer', async () => {
  const pathIds = createPathIds(undefined)
  const answers = (...given: [number, string][]) => {
    const queue = [...given]
    return inEachWay(pathIds, asking('a+b'), async () => {
      const [status, code] = queue.shift() ?? [200, '']
      if (status !== 200) throw refusal(status, code)
      return 'found'
    })
  }
  await expect(answers([404, '3301'], [404, '3301'])).rejects.toMatchObject({ serviceCode: '3301' })
  await expect(answers([404, '404'], [404, '3301'])).rejects.toMatchObject({ serviceCode: '3301' })
  await expect(answers([404, '3301'], [500, ''])).rejects.toMatchObject({ status: 500 })
  await expect(answers([404, '3301'], [403, ''])).rejects.toMatchObject({ status: 403 })
  // That the host of a session is not there is an answer about the session.
  await expect(answers([404, '1001'])).rejects.toMatchObject({ serviceCode: '1001' })
  expect(await answers([404, '3301'])).toBe('found')
  // Now it is known how IDs like this one are written.
  await expect(answers([404, '3301'], [403, ''])).rejects.toMatchObject({ serviceCode: '3301' })
  // A proxy that knows no such address says nothing of the ID, nor does the honest answer to another one.
  await expect(answers([404, '404'], [404, '3301'])).rejects.toMatchObject({ serviceCode: '404' })
})

function served(wantsTwice: (id: string) => boolean) {
  const service = {
    calls: 0,
    ask: (pathIds: ReturnType<typeof createPathIds>, id: string): Promise<string> =>
      inEachWay(pathIds, asking(id), async ({ ways = {} }) => {
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
