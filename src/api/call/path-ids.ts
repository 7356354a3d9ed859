import {
  ENCODING_RULES,
  type EncodingRule,
  type EncodingWay,
  isAmbiguous,
  wayOf,
} from '../../core/define/id-encoding.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import type { FoundReadings } from '../../core/define/ports.ts'

/** By placeholder, how the ID in the path of a call is encoded. */
export type PathWays = Readonly<Record<string, EncodingWay>>

interface Asked {
  operation: Operation
  args: CallArguments
}

/**
 * How IDs are encoded in paths: as documented, until an answer shows otherwise. What a service accepts is
 * kept per place in the path, because one kind of ID proves nothing about another.
 */
export interface PathIds {
  /** All ways to encode the call's IDs, the likeliest first. */
  ways(asked: Asked): readonly PathWays[]
  /** An ID encoded in this way was found. */
  shown(asked: Asked, ways: PathWays): Promise<void>
  /** Whether IDs like those of the call, encoded in this way, were found before. */
  isShown(asked: Asked, ways: PathWays): boolean
}

export function createPathIds(found: FoundReadings | undefined): PathIds {
  // By place and kind of ID, the way in which the last one was found.
  const seen = new Map<string, Map<string, EncodingWay>>()
  const ruleAt = ({ place, documented }: PlacedId): EncodingRule => {
    const remembered = found?.get(readingAt(place)) ?? documented
    return isRule(remembered) ? remembered : documented
  }
  const likeliest = (one: PlacedId): EncodingWay =>
    seen.get(one.place)?.get(kindOf(one.id)) ?? wayOf(ruleAt(one), one.id)
  const learn = async (one: PlacedId, way: EncodingWay): Promise<void> => {
    const kinds = seen.get(one.place) ?? new Map<string, EncodingWay>()
    seen.set(one.place, kinds.set(kindOf(one.id), way))
    const rule = ruleAt(one)
    if (wayOf(rule, one.id) === way) return
    const fitting = [one.documented, ...RULES].find((other) =>
      [...kinds].every(([kind, shown]) => wayOf(other, kind) === shown),
    )
    // The service may follow a rule that has no name here: then each ID costs one more call.
    if (fitting === undefined || fitting === rule) return
    const other = way === 'once' ? 'twice' : 'once'
    const shownBy = `an ID was found encoded ${way}, where the rule until then said ${other}`
    await found?.remember({ reading: readingAt(one.place), variant: fitting, shownBy })
  }
  return {
    ways(asked) {
      const ids = idsOf(asked)
      return ids.reduce<PathWays[]>(
        (all, one) => {
          const first = likeliest(one)
          return [first, first === 'once' ? 'twice' : 'once'].flatMap((way) =>
            all.map((ways) => ({ ...ways, [one.name]: way as EncodingWay })),
          )
        },
        [{}],
      )
    },
    async shown(asked, ways) {
      for (const one of idsOf(asked)) await learn(one, ways[one.name] ?? 'once')
    },
    isShown: (asked, ways) =>
      idsOf(asked).every((one) => seen.get(one.place)?.get(kindOf(one.id)) === ways[one.name]),
  }
}

/** The documented encoding rule for IDs of this place; `once` if the documents give none. */
export function documentedRule({ encodeTwice }: Operation, name: string): EncodingRule {
  return encodeTwice?.[name] ?? 'once'
}

interface PlacedId {
  name: string
  id: string
  /** The path before it, with its placeholders. */
  place: string
  documented: EncodingRule
}

/** The IDs that the ways encode differently. */
function idsOf({ operation, args }: Asked): PlacedId[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].flatMap(({ 0: whole, 1: name = '', index }) => {
    const id = args.path?.[name] ?? ''
    const place = operation.path.slice(0, index) + whole
    return isAmbiguous(id) ? [{ name, id, place, documented: documentedRule(operation, name) }] : []
  })
}

function readingAt(place: string): string {
  return `IDs in ${place}`
}

function isRule(name: string): name is EncodingRule {
  return name in ENCODING_RULES
}

/** A short ID for which every rule gives the same result as for this one. There are few of these. */
function kindOf(id: string): string {
  const begins = /^[/+%=]/.exec(id)?.[0] ?? 'x'
  const holds = ['//', '/', '+', '%', '='].filter((part) => id.slice(1).includes(part))
  return `${begins}${holds.map((part) => `x${part}`).join('')}`
}

const RULES = Object.keys(ENCODING_RULES) as EncodingRule[]
