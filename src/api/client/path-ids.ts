import {
  ENCODING_RULES,
  type EncodingRule,
  type EncodingWay,
  isAmbiguous,
  wayOf,
} from '../../core/declare/id-encoding.ts'
import type { CallArguments, Operation } from '../../core/declare/operation.ts'
import type { FoundReadings } from '../../core/declare/ports.ts'

/** How each ID in the path of a call is written, by placeholder. */
export type PathWays = Readonly<Record<string, EncodingWay>>

interface Asked {
  operation: Operation
  args: CallArguments
}

/**
 * How IDs are written in paths: as the documents say, until an answer shows otherwise. What a service does is
 * kept by the place in the path, since one kind of ID says nothing of another.
 */
export interface PathIds {
  /** All ways in which the call's IDs can be written, the likeliest first. */
  ways(asked: Asked): readonly PathWays[]
  /** An ID that was written so was found. */
  shown(asked: Asked, ways: PathWays): Promise<void>
  /** Whether IDs like those of the call were found before, written so. */
  isShown(asked: Asked, ways: PathWays): boolean
}

export function createPathIds(found: FoundReadings | undefined): PathIds {
  // By place and kind of ID, the way in which the last one of them was found.
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
    // A service may go by a rule that has no name here: its IDs are found, one more call each.
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

/** By which rule the documents have an ID of this place written; where they are silent, once. */
export function documentedRule({ encodeTwice }: Operation, name: string): EncodingRule {
  return encodeTwice?.[name] ?? 'once'
}

interface PlacedId {
  name: string
  id: string
  /** The path up to it, with its placeholders. */
  place: string
  documented: EncodingRule
}

/** The IDs for which it matters how they are written. */
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

/**
 * A short ID of which every rule says the same as of this one. There are few of them, however many IDs.
 */
function kindOf(id: string): string {
  const begins = /^[/+]/.exec(id)?.[0] ?? 'x'
  const holds = ['//', '/', '+', '%', '='].filter((part) => id.slice(1).includes(part))
  return `${begins}${holds.map((part) => `x${part}`).join('')}`
}

const RULES = Object.keys(ENCODING_RULES) as EncodingRule[]
