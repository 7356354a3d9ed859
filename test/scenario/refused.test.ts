import { expect, test } from 'vitest'
import { openWorld } from '../helpers/world.ts'

test('a missing scope is named by its incomplete jobs, and the other jobs complete', async () => {
  const world = await openWorld({ accounts: [{ scopes: ['user:read:admin'] }] })
  try {
    const results = await world.sync()
    const states = Object.fromEntries(results.map(({ job, state }) => [job, state]))
    expect(states).toEqual({
      users: 'complete',
      'phone-numbers': 'incomplete',
      'number-settings': 'incomplete',
      'whiteboard-archives': 'incomplete',
      whiteboards: 'incomplete',
      'session-reports': 'complete',
      recordings: 'complete',
      // The account may not read the list of the parents.
      'number-details': 'incomplete',
      'recording-details': 'complete',
      'user-details': 'complete',
    })
    const said = results.flatMap(({ problems }) => problems).join('\n')
    expect(said).toContain('number_management_numbers:read:admin')
    expect(said).toContain('whiteboard_content:read:admin')
  } finally {
    await world.close()
  }
})
