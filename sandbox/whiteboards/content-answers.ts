import { z } from 'zod'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { badParameter } from '../protocol/refusal.ts'
import type { ContentChanges } from '../seed-data/board-patches.ts'
import { contentOf, deleteObjects, MOST_OBJECTS, pageOf, saveObjects } from './board-content.ts'
import { boardAt } from './boards.ts'
import { changeForbidden, contentForbidden, reachBoard } from './reach-board.ts'

/** The scopes below open every board of the account, because the documents name no admin scope here. */
const common = { parameters: [], parameterCode: 34_002, needs: ['commercialCluster'] } as const

export const contentAnswers: Readonly<Record<string, Answering>> = {
  'whiteboard_content.get': {
    ...common,
    scopes: ['whiteboard_content:read'],
    granularScopes: ['whiteboard:read:content'],
    answer: (call) =>
      contentOf(call.seedData, call.seedData.state, reachBoard(call, { shut: contentForbidden() })),
  },
  'whiteboard_content.save': {
    ...common,
    scopes: ['whiteboard_content:write'],
    granularScopes: ['whiteboard:write:content'],
    status: 201,
    answer: save,
  },
  'whiteboard_content.delete': {
    ...common,
    scopes: ['whiteboard:write'],
    granularScopes: ['whiteboard:delete:content'],
    status: 204,
    answer: remove,
  },
}

function save(call: SandboxCall): object {
  const { seedData } = call
  const index = writableBoard(call)
  const { content_objects: objects } = readBody(call, SAVED, 34002)
  const { content, ...counts } = saveObjects(seedData, index, objects)
  change(call, index, content)
  return { ...counts, page_id: pageOf(seedData, seedData.state, index) }
}

/** Deletes all given objects or none; the documents do not say how an unknown ID is treated. */
function remove(call: SandboxCall): undefined {
  const index = writableBoard(call)
  const { object_ids: ids } = readBody(call, DELETED, 34002)
  const done = deleteObjects(call.seedData, index, ids)
  if ('unknown' in done)
    throw badParameter(`object_ids.${String(done.unknown)}`, 'is not on this page', 34002)
  change(call, index, done.content)
}

/** Changes a board's content and, to the second, its modification date. */
function change(call: SandboxCall, index: number, content: ContentChanges): void {
  const modifiedMs = Math.floor(call.nowMs / 1000) * 1000
  call.change([{ kind: 'boards', action: 'change', index, patch: { content, modifiedMs } }])
}

/** Returns the index of the board to change. Refuses a locked board, which is read-only. */
function writableBoard(call: SandboxCall): number {
  const { seedData } = call
  const index = reachBoard(call, { shut: contentForbidden() })
  if (boardAt(seedData, seedData.state, index).locked === true) throw changeForbidden()
  return index
}

const SAVED = z.strictObject({
  content_objects: z
    .array(z.looseObject({ id: z.string().min(1).optional() }))
    .min(1)
    .max(MOST_OBJECTS),
})
const DELETED = z.strictObject({ object_ids: z.array(z.string()).min(1) })
