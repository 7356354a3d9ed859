import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { asked, boardWith, rowsOf, withCaller } from './with-caller.ts'

const LABELS = '/whiteboards/classification_labels'
const STREAMS = [
  'whiteboards',
  'classification_labels',
  'whiteboard_collaborators',
  'whiteboard_content',
]

it('writes to boards and labels, including drafts, persist in the next run', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-'))
  const stateFile = join(directory, 'state.json')
  const before = new Map<string, unknown>()
  let [board, label] = ['', '']
  try {
    await withCaller({ stateFile }, async (caller, sandbox) => {
      for (const stream of STREAMS) before.set(stream, await rowsOf(sandbox, stream))
      board = await boardWith(sandbox, 3, { locked: false, objects: 4, collaborators: 5 })
      const path = `/whiteboards/${board}`
      const made = { name: 'Ours', color: '#1A9C4B', sensitivity_level: 3 }
      label = String((await caller.send('POST', LABELS, made)).body.classification_id)
      await caller.send('PATCH', `${LABELS}/${label}`, { name: 'Drafted' })
      await caller.send('PUT', `${path}/classification`, { classification_id: label })
      const collaborators = [{ email: 'a@far.example', role: 2 }]
      await caller.send('POST', `${path}/collaborator`, { collaborators })
      await caller.send('POST', `${path}/content`, { content_objects: [{ id: 'mine' }] })
      for (const stream of STREAMS) {
        const rows = await rowsOf(sandbox, stream)
        expect(rows).not.toEqual(before.get(stream))
        before.set(stream, rows)
      }
      before.set('labels', await asked(sandbox, 'GET', 'board-labels'))
    })
    await withCaller({ stateFile }, async (caller, sandbox) => {
      for (const stream of STREAMS)
        expect(await rowsOf(sandbox, stream)).toEqual(before.get(stream))
      const labels = await asked(sandbox, 'GET', 'board-labels')
      expect(labels).toEqual(before.get('labels'))
      expect(labels).toContainEqual({ whiteboard_id: board, classification_id: label })
      await asked(sandbox, 'POST', 'publish-labels')
      expect((await caller.get(`${LABELS}/${label}`)).body.name).toBe('Drafted')
    })
    await withCaller({ stateFile }, async (caller) => {
      expect((await caller.get(`${LABELS}/${label}`)).body.name).toBe('Drafted')
    })
  } finally {
    await rm(directory, { recursive: true })
  }
})
