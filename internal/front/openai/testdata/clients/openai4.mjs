import OpenAI, { toFile } from 'openai4'
import { z } from 'zod'
import { client } from './openai.mjs'

// Its helper for schemas knows an older zod only.
const schema = shape => z.toJSONSchema(shape)
const zodResponseFormat = (shape, name) => ({ type: 'json_schema', json_schema: { name, strict: true, schema: schema(shape) } })
const zodTextFormat = (shape, name) => ({ type: 'json_schema', name, strict: true, schema: schema(shape) })

export default client({ OpenAI, toFile, zodResponseFormat, zodTextFormat, z })
