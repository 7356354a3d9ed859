import { badParameter, refuse } from '../protocol/refusal.ts'
import type { AddedMember, PeopleChanges } from '../seed-data/board-patches.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import {
  CO_OWNER,
  type Collaborator,
  everybodyOn,
  MEMBER,
  newcomer,
  OUTSIDER,
  OWNER,
} from './board-people.ts'

/** A requested role for a present or new collaborator. */
export interface RoleRequest {
  who: string | AddedMember
  role: number
  /** The field that a refusal names, e.g. `collaborators.0.email`. */
  field: string
}

/**
 * Returns a board's people after all requested changes; if one change is refused, none is made. A new owner
 * or co-owner must belong to the account. A new owner makes the previous owner a co-owner. A new co-owner
 * does not, although the documents mention both in one sentence: the board would have no owner.
 */
export function grant(
  seedData: SeedData,
  index: number,
  wishes: readonly RoleRequest[],
): { people: PeopleChanges; ids: readonly string[] } {
  const { state } = seedData
  const before = state.boards.patches.get(index)?.people ?? NO_CHANGES
  const there = new Map(
    everybodyOn(seedData, state, index).map((person) => [person.collaborator_id, person]),
  )
  const named = wishes.map((wish) => ({ ...wish, person: personFor(seedData, there, wish) }))
  checkNames(named)
  const owner = [...there.values()].find(({ role }) => role === OWNER)
  const heir = named.find(({ person, role }) => role === OWNER && person !== owner)?.person
  const roles = { ...before.roles }
  for (const { person, role, field } of named) {
    checkRole(person, role, field)
    if (person === owner) checkOwner(role, heir !== undefined, field)
    else roles[person.collaborator_id] = role
  }
  const ids = named.map(({ person }) => person.collaborator_id)
  const comers = named.flatMap(({ who }) => (typeof who === 'string' ? [] : [who]))
  const removed = before.removed.filter((id) => !ids.includes(id))
  const kept = { ...before, roles, removed, added: [...before.added, ...comers] }
  if (heir === undefined || owner === undefined) return { people: kept, ids }
  roles[owner.collaborator_id] = CO_OWNER
  const user = seedData.ids.users.indexOf(heir.user_id ?? '') ?? 0
  return { people: { ...kept, owner: user, added: [...kept.added, { user }] }, ids }
}

/** Removes a collaborator. The owner stays, and only present collaborators can leave. */
export function removeCollaborator(seedData: SeedData, index: number, id: string): PeopleChanges {
  const { state } = seedData
  const before = state.boards.patches.get(index)?.people ?? NO_CHANGES
  const person = everybodyOn(seedData, state, index).find((one) => one.collaborator_id === id)
  if (person === undefined) throw badParameter('collaboratorId', 'is not on this board', 34002)
  if (person.role === OWNER)
    throw badParameter('collaboratorId', 'the owner cannot be removed', 34002)
  const { [id]: _role, ...roles } = before.roles
  const added = before.added.filter((who) => newcomer(seedData, who).collaborator_id !== id)
  return { ...before, roles, added, removed: [...before.removed, id] }
}

type Named = RoleRequest & { person: Collaborator }

function personFor(
  seedData: SeedData,
  there: ReadonlyMap<string, Collaborator>,
  { who, role, field }: RoleRequest,
): Collaborator {
  if (typeof who === 'string') {
    const known = there.get(who)
    if (known === undefined) throw badParameter(field, 'is not on this board', 34002)
    return known
  }
  const comer = newcomer(seedData, who)
  return there.get(comer.collaborator_id) ?? { ...comer, role }
}

function checkNames(named: readonly Named[]): void {
  const seen = new Set<string>()
  for (const { person, field } of named) {
    const { collaborator_id: id } = person
    if (seen.has(id)) throw badParameter(field, 'is named twice', 34002)
    seen.add(id)
  }
  const [, second] = named.filter(({ role }) => role === OWNER)
  if (second !== undefined) throw badParameter(second.field, 'a board has one owner', 34002)
}

function checkRole({ collaborator_type: type }: Collaborator, role: number, field: string): void {
  if (role > CO_OWNER || type === MEMBER) return
  if (type === OUTSIDER) throw refuse(400, 1010, 'User not in the account.')
  throw badParameter(field, 'a channel cannot own a board', 34002)
}

function checkOwner(role: number, hasHeir: boolean, field: string): void {
  if (role === OWNER || (hasHeir && role === CO_OWNER)) return
  throw badParameter(field, 'the owner gives the board up only to another owner', 34002)
}

const NO_CHANGES: PeopleChanges = { roles: {}, removed: [], added: [] }
