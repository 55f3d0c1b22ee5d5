// Agents without tools of their own.
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'

export default function ({ baseURL, apiKey, kind }) {
  setTracingDisabled(true)
  setDefaultOpenAIClient(new OpenAI({ baseURL, apiKey }))
  setOpenAIAPI(kind)
  const plain = { name: 'reader', instructions: 'Be brief.', model: 'rlm' }
  const agent = new Agent(plain)
  return {
    whole: async question => (await run(agent, question)).finalOutput,
    async stream(question, signal) {
      const streamed = await run(agent, question, { stream: true, signal })
      let text = '', pieces = 0
      for await (const piece of streamed.toTextStream()) {
        text += piece
        pieces++
      }
      await streamed.completed
      return { text, pieces }
    },
    async turns([first, second]) {
      const { history } = await run(agent, first)
      return (await run(agent, [...history, { role: 'user', content: second }])).finalOutput
    },
    typed: async question =>
      (await run(new Agent({ ...plain, outputType: z.object({ n: z.number().int(), words: z.array(z.string()) }) }), question)).finalOutput,
    file: async (question, text, pdf) => (await run(agent, [{
      role: 'user',
      content: [
        { type: 'input_file', file: `data:application/pdf;base64,${pdf.toString('base64')}`, filename: 'hay.pdf' },
        { type: 'input_text', text: question },
      ],
    }])).finalOutput,
  }
}
