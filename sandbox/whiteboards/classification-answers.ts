import { z } from 'zod'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { demand } from '../protocol/switches.ts'
import { labelForUse } from './label-answers.ts'
import { changeForbidden, reachBoard } from './reach-board.ts'

const common = {
  parameters: [],
  parameterCode: 34_002,
  scopes: ['whiteboard:write:admin', 'whiteboard:write'],
  status: 204,
} as const

export const classificationAnswers: Readonly<Record<string, Answering>> = {
  'whiteboard_classification.apply': {
    ...common,
    granularScopes: [
      'whiteboard:update:whiteboard_classification',
      'whiteboard:update:whiteboard_classification:admin',
    ],
    needs: ['classification'],
    answer: applyLabel,
  },
  'whiteboard_classification.remove': {
    ...common,
    granularScopes: [
      'whiteboard:delete:whiteboard_classification',
      'whiteboard:delete:whiteboard_classification:admin',
    ],
    needs: ['commercialCluster'],
    answer: removeLabel,
  },
}

/** Puts a label on a board, replacing the board's label. The board's dates do not change. */
function applyLabel(call: SandboxCall): undefined {
  const index = reachBoard(call, { shut: changeForbidden(), admin: ADMIN.apply })
  const { classification_id: id } = readBody(call, APPLIED, 34002)
  call.change([
    { kind: 'boards', action: 'change', index, patch: { label: labelForUse(call, id) } },
  ])
}

/** Removes a board's label; a board without one stays unchanged. */
function removeLabel(call: SandboxCall): undefined {
  demand(call.switches, 'classification')
  const index = reachBoard(call, { shut: changeForbidden(), admin: ADMIN.remove })
  call.change([{ kind: 'boards', action: 'change', index, patch: { label: null } }])
}

const APPLIED = z.strictObject({ classification_id: z.string().min(1) })
const ADMIN = {
  apply: ['whiteboard:write:admin', 'whiteboard:update:whiteboard_classification:admin'],
  remove: ['whiteboard:write:admin', 'whiteboard:delete:whiteboard_classification:admin'],
}
