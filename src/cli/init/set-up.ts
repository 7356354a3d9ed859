import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Finding } from '../doctor/findings.ts'
import { askSetup, type Checks } from './ask-setup.ts'
import { openPrompt, type PromptStreams } from './prompt.ts'
import { ignoreInGit, noFolder, replacedSecrets, writeSetup } from './write-files.ts'

/** The outcome of a setup: whether a configuration was written, and the checks that failed. */
export interface SetUp {
  made: boolean
  failed: readonly Finding[]
}

/**
 * Asks for the configuration, and writes it once every question is answered. Writes nothing if the person
 * keeps an existing file or existing secrets.
 */
export async function setUp(path: string, streams: PromptStreams, checks: Checks): Promise<SetUp> {
  if (!existsSync(dirname(path))) throw noFolder(path)
  const prompt = openPrompt(streams)
  try {
    if (existsSync(path) && !(await prompt.yes(`${path} already exists. Replace it?`, false)))
      return KEPT
    const { setup, failed } = await askSetup(prompt, checks)
    const replaced = replacedSecrets(path, setup)
    const question = `${replaced.join(', ')}: replace what is there?`
    if (replaced.length > 0 && !(await prompt.yes(question, false))) {
      prompt.say('Nothing was written.')
      return KEPT
    }
    writeSetup(path, setup)
    const missing = ignoreInGit(path)
    if (missing.length > 0)
      prompt.say(
        `\nAdd these lines to .gitignore, so that no secret is committed:\n  ${missing.join('\n  ')}`,
      )
    prompt.say('')
    return { made: true, failed }
  } finally {
    prompt.close()
  }
}

const KEPT: SetUp = { made: false, failed: [] }
