import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { askSetup } from './ask-setup.ts'
import { openPrompt, type PromptStreams } from './prompt.ts'
import { ignoreInGit, noFolder, replacedSecrets, writeSetup } from './write-files.ts'

/**
 * Asks for the configuration, and writes it once every question is answered. Writes nothing, and returns
 * false, if the person keeps an existing file or existing secrets.
 */
export async function setUp(path: string, streams: PromptStreams): Promise<boolean> {
  if (!existsSync(dirname(path))) throw noFolder(path)
  const prompt = openPrompt(streams)
  try {
    if (existsSync(path) && !(await prompt.yes(`${path} already exists. Replace it?`))) return false
    const setup = await askSetup(prompt)
    const replaced = replacedSecrets(path, setup)
    const question = `${replaced.join(', ')}: replace what is there?`
    if (replaced.length > 0 && !(await prompt.yes(question))) {
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
