import { Listr, type ListrTask } from 'listr2'
import type { Pace, Progress, Step } from './pace.ts'

/** One line for each stream, which moves until its last slice is done or the run ends. */
export function terminalProgress(title: string, streams: readonly string[], pace: Pace): Progress {
  const lines = new Map(streams.map((stream) => [stream, createLine(stream)]))
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
      // Signals are ours: listr2 would end the process at once.
      registerSignalListeners: false,
      rendererOptions: { collapseSubtasks: false, showSubtasks: true },
    },
  )
  // Once all lines have ended the list is left as it stands; a title set later would draw it again.
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
      lines.get(step.stream)?.show(step, pace(step))
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

function createLine(stream: string): Line {
  const ended = Promise.withResolvers<void>()
  let text = stream
  let say: (text: string) => void = () => {}
  let started = false
  let done = false
  return {
    task: {
      title: stream,
      task: async (_context, task) => {
        say = (title) => {
          task.title = title
        }
        say(text)
        await ended.promise
        // A tick would say that it is done.
        if (!done) task.skip(started ? text : `${stream}: nothing due`)
      },
    },
    show(step, said) {
      started = true
      text = `${stream}: ${said}`
      say(text)
      done = step.slicesPlanned > 0 && step.slicesDone >= step.slicesPlanned
      if (done) ended.resolve()
    },
    end: () => ended.resolve(),
  }
}
