import { documentedRule } from '../../api/client/path-ids.ts'
import { pathNames } from '../../core/declare/check-call.ts'
import { type EncodingWay, isAmbiguous, wayOf } from '../../core/declare/id-encoding.ts'
import type { Operation } from '../../core/declare/operation.ts'
import { asWritten } from './as-written.ts'
import { DETAILS, idsOf } from './deleted-answers.ts'
import { type Probe, type Probed, type Reader, refusalText } from './probe.ts'

interface Tried {
  documented: EncodingWay
  /** The encoding in which it was found; undefined if in neither. */
  way: EncodingWay | undefined
  refusal: string
}

const SAYS: Readonly<Record<string, string>> & { once: string } = {
  once: 'an ID is encoded once in a path, whatever it holds',
  'odd-slashes': 'an ID that begins with + or /, or holds //, is encoded twice in a path',
}

/** Begins with + or /, holds a slash, holds a plus, holds anything else: no rule treats all four alike. */
const KINDS = [/^[+/]|\/\//, /^(?![+/])(?!.*\/\/).*\//, /^[^+/][^/]*\+[^/]*$/, /^[^+/]+$/]
const MOST_TRIED = 3

/** How IDs of each kind are encoded in a path, tested with IDs for which the two ways differ. */
export const pathIds: readonly Probe[] = DETAILS.map((detail) => {
  const { operation, list, field } = detail
  const [name = ''] = pathNames(operation)
  const rule = documentedRule(operation, name)
  return {
    id: `path-id.${operation.id}`,
    lines: ['id-encoding'],
    assumption: SAYS[rule] ?? SAYS.once,
    operations: [operation],
    mostReads: 2 * MOST_TRIED,
    async run(reader) {
      const ids = [...new Set(idsOf(reader, list, field))].filter(isAmbiguous)
      const telling = tellingOf(ids)
      const facts = { with_such: ids.length, tried: telling.length }
      if (telling.length === 0)
        return { verdict: 'unclear', found: 'no ID was seen for which the encodings differ', facts }
      const tried: Tried[] = []
      for (const id of telling) tried.push(await tryBoth(reader, operation, id, wayOf(rule, id)))
      return { ...judge(tried), facts }
    },
  }
})

/** One ID for each group of characters that services treat differently, the most difficult first. */
function tellingOf(ids: readonly string[]): string[] {
  const chosen = KINDS.flatMap((kind) => ids.find((id) => kind.test(id)) ?? [])
  return [...new Set(chosen)].slice(0, MOST_TRIED)
}

async function tryBoth(
  reader: Reader,
  ...[operation, id, documented]: [Operation, string, EncodingWay]
): Promise<Tried> {
  const first = await reader.read(asWritten(operation, id, documented))
  if (first.refusal === undefined) return { documented, way: documented, refusal: '' }
  const way = documented === 'once' ? 'twice' : 'once'
  const other = await reader.read(asWritten(operation, id, way))
  const found = other.refusal === undefined
  return { documented, way: found ? way : undefined, refusal: refusalText(first) }
}

function judge(tried: readonly Tried[]): Probed {
  const [unfound] = tried.filter(({ way }) => way === undefined)
  const otherwise = tried.filter(({ way, documented }) => way !== undefined && way !== documented)
  const [one] = otherwise
  if (one !== undefined)
    return {
      verdict: 'differs',
      found: `${otherwise.length} of ${tried.length} were found encoded ${String(one.way)} alone`,
      means: 'a sync finds that out and remembers it, for a call more for each kind of ID',
    }
  return unfound === undefined
    ? { verdict: 'holds', found: `${tried.length} of different kinds were found so` }
    : { verdict: 'unclear', found: `encoded once or twice: ${unfound.refusal}` }
}
