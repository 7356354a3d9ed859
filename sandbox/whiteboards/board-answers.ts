import { type Answering, isGranted, type SandboxCall } from '../protocol/call.ts'
import { filtered } from '../protocol/listing.ts'
import { answerList } from '../protocol/paging.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'
import { instantWindow } from '../protocol/windows.ts'
import { userCount, userIndexOfEmail } from '../users/users.ts'
import * as boards from './boards.ts'
import { CALLER } from './reach-board.ts'

export const boardAnswers: Readonly<Record<string, Answering>> = {
  'whiteboards.list': {
    parameters: [
      'user_id',
      'search_key',
      'date_filter_type',
      'from',
      'to',
      'project_id',
      'page_size',
      'next_page_token',
    ],
    parameterCode: 34002,
    scopes: ['whiteboard:read:admin', 'whiteboard:read'],
    granularScopes: ['whiteboard:read:list_whiteboards:admin', 'whiteboard:read:list_whiteboards'],
    answer: listBoards,
  },
}

/** Lists boards, of at most one month unless a reading differs. The response does not show the bounds. */
function listBoards(call: SandboxCall): object {
  const { seedData, query } = call
  const { boardWindows } = call.readings
  for (const name of ['date_filter_type', 'from', 'to'])
    if (boardWindows === 'refused' && query.has(name))
      throw badParameter(name, 'is not a parameter of this operation', 34002)
  const date = (boardWindows === 'taken' && query.get('date_filter_type')) || 'modified_date'
  if (!isDate(date))
    throw badParameter('date_filter_type', 'must be created_date or modified_date', 34002)
  const owner = ownerAsked(call)
  const search = query.get('search_key')?.toLowerCase()
  const project = query.get('project_id')
  const codes = { tokenCode: 34002, parameterCode: 34002 }
  const rules = { items: 'whiteboards', maximum: 50, usual: 10, ...codes, total: true }
  return answerList(call, rules, (settled) => {
    const asked = instantWindow(call, settled)
    const { fromMs, toMs } = boardWindows === 'taken' ? asked : ALWAYS
    return {
      bounds: { from: asked.from, to: asked.to },
      silent: true,
      listing: (state) => {
        const all = boards.boardsBetween(seedData, state, { date, fromMs, toMs })
        if (owner === undefined && search === undefined && project === undefined) return all
        return filtered(all, (index) => {
          const board = boards.boardAt(seedData, state, index)
          const named = search === undefined || board.name?.toLowerCase().includes(search) === true
          const owned = owner === undefined || boards.ownerOf(state, board) === owner
          return named && owned && (project === undefined || board.project_id === project)
        })
      },
      item: (state, index) => boards.boardItem(seedData, boards.boardAt(seedData, state, index)),
    }
  })
}

const ALWAYS = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }

/**
 * Returns the owner whose boards are listed: the user in `user_id`. Without that parameter, returns undefined
 * (all boards) with an admin scope, otherwise the caller, who is the account's first user.
 */
function ownerAsked(call: SandboxCall): number | undefined {
  const asked = call.query.get('user_id')
  const admin = isGranted(call, ['whiteboard:read:admin', 'whiteboard:read:list_whiteboards:admin'])
  if (asked === undefined) return admin ? undefined : CALLER
  if (asked === 'me') return CALLER
  if (!admin) throw badParameter('user_id', 'must be me without an admin scope', 34002)
  const { seedData } = call
  const { ids, state } = seedData
  const index = asked.includes('@') ? userIndexOfEmail(seedData, asked) : ids.users.indexOf(asked)
  if (index === undefined || index >= userCount(seedData, state))
    throw refuse(404, 1001, 'User does not exist.')
  // This user existed but left the account.
  if (state.users.gone.has(index)) throw refuse(400, 1010, 'User not in the account.')
  return index
}

function isDate(text: string): text is boards.BoardDate {
  return text === 'created_date' || text === 'modified_date'
}
