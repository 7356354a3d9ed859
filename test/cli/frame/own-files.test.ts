import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { packageFile, sandboxProgram } from '../../../src/cli/frame/own-files.ts'

it('finds the sandbox’s program and the package’s files', () => {
  for (const path of [sandboxProgram(), packageFile('package.json'), packageFile('reports')])
    expect([path, existsSync(path)]).toEqual([path, true])
})
