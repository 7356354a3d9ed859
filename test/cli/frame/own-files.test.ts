import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { packageFile, sandboxProgram } from '../../../src/cli/frame/own-files.ts'

it('the paths of the sandbox program and of the package’s files exist', () => {
  for (const path of [sandboxProgram(), packageFile('package.json'), packageFile('reports')])
    expect([path, existsSync(path)]).toEqual([path, true])
})
