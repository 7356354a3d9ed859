import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { askSetup, type Checks } from './ask-setup.ts'
import { openPrompt, type PromptStreams } from './prompt.ts'
import { ignoreInGit, noFolder, replacedSecrets, writeSetup } from './write-files.ts'

/**
 * Asks for the configuration and writes it after every question is answered. Returns false if the person
 * keeps an existing file.
 */
export async function setUp(
  path: string,
  streams: PromptStreams,
  checks: Checks,
): Promise<boolean> {
  if (!existsSync(dirname(path))) throw noFolder(path)
  const prompt = openPrompt(streams)
  try {
    if (existsSync(path) && !(await prompt.yes(`${path} already exists. Replace it?`, false)))
      return false
    const setup = await askSetup(prompt, checks)
    const replaced = replacedSecrets(path, setup)
    const question = `${replaced.join(', ')}: replace what is there?`
    if (replaced.length > 0 && !(await prompt.yes(question, false))) {
      prompt.say('Nothing was written.')
      return false
    }
    writeSetup(path, setup)
    const missing = ignoreInGit(path)
    if (missing.length > 0)
      prompt.say(
        `\nAdd these lines to .gitignore, so that no secret is committed:\n  ${missing.join('\n  ')}`,
      )
    prompt.say('')
    return true
  } finally {
    prompt.close()
  }
}
