/** Changes to a board itself, not to its archived sessions. */
export interface BoardPatch {
  /** When an added board was made; base boards follow the curve. */
  createdMs?: number
  modifiedMs?: number
  whiteboard_name?: string
  share_scope?: number
  locked?: boolean
  trashed?: boolean
  /** The real number of collaborators, whatever the list shows. */
  collaborators?: number
  /** Shifts every role except those of the owner and a co-owner. */
  roleShift?: number
  /** The real number of objects on its first page. */
  objects?: number
  /** Counts changes to the objects' text. */
  edits?: number
  /** Whether the board's collaborators and content are forbidden. */
  withheld?: boolean
  /** The index of its label; null if it was removed. A base board has a drawn label. */
  label?: number | null
  people?: PeopleChanges
  content?: ContentChanges
}

/** An archived session in a scenario. */
export interface ScenarioSession {
  /** The index of the board. */
  board: number
  minutes: number
  /** Users by index, and people from outside by name. They join at the start, a second apart. */
  people: readonly ({ user: number } | { guest: string })[]
  activities: number
  /** The type of all activities; default: all types. */
  type?: string
}

/** Changes by callers to a board's collaborators. */
export interface PeopleChanges {
  /** The index of the present owner; default: the creator. */
  owner?: number
  /** Changed roles, by collaborator ID. */
  roles: Readonly<Record<string, number>>
  removed: readonly string[]
  added: readonly AddedMember[]
}

/** A user of the account by index, an outsider by address, or a channel. */
export type AddedMember = { user: number } | { email: string } | { channel: string }

/** Changes by callers to a board's objects. */
export interface ContentChanges {
  /** Saved objects, each with its ID: new ones and replacements. */
  saved: readonly SavedObject[]
  /** Deleted original objects. */
  deleted: readonly string[]
  /** The number of IDs that were issued for objects without an ID. */
  named: number
}

export interface SavedObject {
  readonly id: string
  readonly [field: string]: unknown
}

/** The fields of a label that a caller can set. */
export interface LabelFields {
  name?: string | undefined
  description?: string | undefined
  color?: string | undefined
  sensitivity_level?: number | undefined
  guideline_url?: string | undefined
  is_default?: boolean | undefined
}

export interface LabelPatch extends LabelFields {
  /** When a caller made the label; base labels come from the seed. */
  createdMs?: number
  modifiedMs?: number
  /** Unpublished changes, which no response shows. */
  draft?: LabelFields | undefined
  /** Whether only the account's owner may change or apply it. The seed locks one of the base labels. */
  locked?: boolean
}
