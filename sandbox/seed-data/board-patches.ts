/** A board itself, not its archived sessions. */
export interface BoardPatch {
  /** Of added boards; the base ones follow the curve. */
  createdMs?: number
  modifiedMs?: number
  whiteboard_name?: string
  share_scope?: number
  locked?: boolean
  trashed?: boolean
  /** How many collaborators it has in all, however many are shown. */
  collaborators?: number
  /** Moves every role but the owner's. */
  roleShift?: number
  /** How many objects its first page has in all. */
  objects?: number
  /** Counts changes of what the objects say. */
  edits?: number
  /** It is there, and its collaborators and content are not for us. */
  withheld?: boolean
  /** The index of the label that it was given; null when it was taken off. The base ones have one drawn. */
  label?: number | null
  people?: PeopleChanges
  content?: ContentChanges
}

/** An archived session as a scenario tells it. */
export interface ToldSession {
  /** The board by its index. */
  board: number
  minutes: number
  /** Users by index, and people from outside by name; all come at the beginning. */
  people: readonly ({ user: number } | { guest: string })[]
  activities: number
  /** What each of them is; of all kinds if nothing is said. */
  type?: string
}

/** What callers did to the collaborators that a board has anyway. */
export interface PeopleChanges {
  /** The index of the user who owns the board now; whoever made it if nothing is said. */
  owner?: number
  /** By collaborator ID, of those who were given one. */
  roles: Readonly<Record<string, number>>
  removed: readonly string[]
  added: readonly AddedMember[]
}

/** A user of the account by index, an outsider by address, or a channel. */
export type AddedMember = { user: number } | { email: string } | { channel: string }

/** What callers did to the objects that a board has anyway. */
export interface ContentChanges {
  /** Objects as they were saved last, each with its ID: new ones, and others in the place of their like. */
  saved: readonly SavedObject[]
  /** Of the objects that it had anyway. */
  deleted: readonly string[]
  /** How many IDs were given to objects that came without one. */
  named: number
}

export interface SavedObject {
  readonly id: string
  readonly [field: string]: unknown
}

/** What a caller may set of a label. */
export interface LabelFields {
  name?: string | undefined
  description?: string | undefined
  color?: string | undefined
  sensitivity_level?: number | undefined
  guideline_url?: string | undefined
  is_default?: boolean | undefined
}

export interface LabelPatch extends LabelFields {
  /** Of labels that a caller made; the base ones have theirs from the seed. */
  createdMs?: number
  modifiedMs?: number
  /** Changes that nobody has published yet: no answer shows them. */
  draft?: LabelFields | undefined
  /** Nobody but the account's owner may change or apply it. The seed locks one of the base labels. */
  locked?: boolean
}
