import { DAY_MS } from '../../src/core/time/time.ts'
import type { Op } from '../protocol/apply-ops.ts'
import type { ScenarioSession } from '../seed-data/board-patches.ts'

/** Users of the scenario, by index. */
const PEOPLE = { deleter: 11, nightOwl: 22, visitor: 33, host: 44 }

/**
 * Returns a scenario for the whiteboard audit of June, which the demo makes. Four colleagues meet at a board
 * every Tuesday. On June 18 one of them deletes the content of two boards; one works in the night to June 11;
 * one looks at forty boards on June 23; and on June 25 a dozen new people of another company join a board
 * that is open to anyone.
 */
export function whiteboardStory(): readonly Op[] {
  const { deleter, nightOwl, visitor, host } = PEOPLE
  const team = [deleter, nightOwl, visitor, host].map((user) => ({ user }))
  const firstMs = Date.parse('2026-01-20T10:00:00Z')
  const tuesdays = Array.from({ length: 24 }, (_, week) =>
    session(firstMs + week * 7 * DAY_MS, {
      board: 2,
      minutes: 50,
      people: team,
      activities: 24,
    }),
  )
  const alone = (at: string, user: number, rest: Omit<ScenarioSession, 'people'>): Op =>
    session(Date.parse(at), { ...rest, people: [{ user }] })
  const visits = Array.from({ length: 40 }, (_, at) => {
    const time = new Date(Date.parse('2026-06-23T09:00:00Z') + at * 240_000).toISOString()
    return alone(time, visitor, {
      board: 10 + at,
      minutes: 3,
      activities: 1,
      type: 'open whiteboard',
    })
  })
  const guests = GUESTS.map((name) => ({ guest: `${name} (Tidewater Labs)` }))
  return [
    ...tuesdays,
    alone('2026-06-11T01:20:00Z', nightOwl, {
      board: 5,
      minutes: 100,
      activities: 130,
      type: 'edit text',
    }),
    alone('2026-06-18T14:05:00Z', deleter, { board: 3, minutes: 20, ...DELETES, activities: 90 }),
    alone('2026-06-18T14:40:00Z', deleter, { board: 4, minutes: 15, ...DELETES, activities: 40 }),
    ...visits,
    { kind: 'boards', action: 'change', index: 7, patch: { share_scope: 2 } },
    session(Date.parse('2026-06-25T13:00:00Z'), {
      board: 7,
      minutes: 90,
      people: [{ user: host }, ...guests],
      activities: 60,
    }),
  ]
}

function session(startMs: number, told: ScenarioSession): Op {
  return { kind: 'whiteboards', action: 'add', patch: { startMs, told } }
}

const DELETES = { type: 'delete shape' }
const GUESTS = (
  'Alma Berg, Bo Ferro, Cleo Marsh, Dario Quist, Edda Thorn, Felix Umber, ' +
  'Greta Voss, Hamid Wren, Iris Yarrow, Joon Zeller, Kit Amaro, Lena Brandt'
).split(', ')
