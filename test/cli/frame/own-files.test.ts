import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { packageFile, sandboxProgram } from '../../../src/cli/frame/own-files.ts'

it('finds the program of the sandbox and the files of the package where they lie', () => {
  for (const path of [sandboxProgram(), packageFile('package.json'), packageFile('reports')])
    expect([path, existsSync(path)]).toEqual([path, true])
})
