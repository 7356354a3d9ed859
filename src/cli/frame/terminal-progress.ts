import { Listr, type ListrTask } from 'listr2'
import { isStepDone, lineOf, type Pace, type ShownProgress, type Step } from './progress-lines.ts'

/** Shows lines that move until their step is done or the run ends. */
export function terminalProgress(
  title: string,
  names: readonly string[],
  pace: Pace,
): ShownProgress {
  const lines = new Map(names.map((name) => [name, createLine(name)]))
  let entitle: (text: string) => void = () => {}
  const list = new Listr(
    [
      {
        title,
        task: (_context, task) => {
          entitle = (text) => {
            task.title = text
          }
          return task.newListr(
            [...lines.values()].map((line) => line.task),
            { concurrent: true },
          )
        },
      },
    ],
    {
      // Callsheet handles signals; listr2 would end the process at once.
      registerSignalListeners: false,
      rendererOptions: { collapseSubtasks: false, showSubtasks: true },
    },
  )
  // After all lines have ended the list is final; a later title would draw it again.
  let over = false
  const running = list
    .run()
    .catch(() => {})
    .finally(() => {
      over = true
    })
  return {
    step(step) {
      if (over) return
      entitle(title)
      lines.get(lineOf(step))?.show(step, pace(step))
    },
    remark(text) {
      if (!over) entitle(`${title} (${text})`)
    },
    async end() {
      if (!over) entitle(title)
      for (const line of lines.values()) line.end()
      await running
    },
  }
}

interface Line {
  task: ListrTask
  show(step: Step, text: string): void
  end(): void
}

function createLine(name: string): Line {
  const ended = Promise.withResolvers<void>()
  let text = name
  let say: (text: string) => void = () => {}
  let started = false
  let done = false
  return {
    task: {
      title: name,
      task: async (_context, task) => {
        say = (title) => {
          task.title = title
        }
        say(text)
        await ended.promise
        // A tick would mean that it is done.
        if (!done) task.skip(started ? text : `${name}: nothing due`)
      },
    },
    show(step, said) {
      started = true
      text = `${name}: ${said}`
      say(text)
      done = isStepDone(step)
      // A run fetches files in two rounds: urgent ones first, and the rest at its end.
      if (done && !('files' in step)) ended.resolve()
    },
    end: () => ended.resolve(),
  }
}
