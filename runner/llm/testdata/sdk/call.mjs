// One call with an official SDK: node call.mjs SDK MODE URL MODEL. It prints what the SDK understood, as a line of JSON.
const [sdk, mode, url, model = "m"] = process.argv.slice(2);
const host = url.replace(/\/v1$/, "");
const apiKey = "sk-test-0123456789abcdef"; // what the fake servers accept

// chat makes a call of OpenAI's chat completions, which most providers serve.
async function chat(client) {
  const messages = [{ role: "system", content: "be brief" }, { role: "user", content: "hi" }];
  let text = "", thought = "", stop = null, usage = null;
  if (mode === "stream") {
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true, stream_options: { include_usage: true } })) {
      text += chunk.choices[0]?.delta?.content ?? "";
      thought += chunk.choices[0]?.delta?.reasoning ?? "";
      stop = chunk.choices[0]?.finish_reason ?? stop;
      usage = chunk.usage ?? usage;
    }
  } else {
    const whole = await client.chat.completions.create({ model, messages });
    const message = whole.choices[0].message;
    [text, thought, stop, usage] = [message.content, message.reasoning ?? "", whole.choices[0].finish_reason, whole.usage];
  }
  return { text, thought, stop, input: usage.prompt_tokens, read: usage.prompt_tokens_details?.cached_tokens ?? 0, output: usage.completion_tokens };
}

const calls = {
  async anthropic() {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({ apiKey, baseURL: host, maxRetries: 0 });
    const request = {
      model: "m", max_tokens: 4096, thinking: { type: "enabled", budget_tokens: 1024 },
      system: [{ type: "text", text: "be brief", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: "hi" }],
    };
    const message = mode === "stream" ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
    const of = (type) => message.content.filter((b) => b.type === type);
    return {
      text: of("text").map((b) => b.text).join(""), thinking: of("thinking").map((b) => b.thinking).join(""), stop: message.stop_reason,
      input: message.usage.input_tokens, read: message.usage.cache_read_input_tokens, written: message.usage.cache_creation_input_tokens,
      output: message.usage.output_tokens,
    };
  },
  async openai() {
    const { default: OpenAI } = await import("openai");
    return chat(new OpenAI({ apiKey, baseURL: url, maxRetries: 0 }));
  },
  async azure() {
    const { AzureOpenAI } = await import("openai");
    return chat(new AzureOpenAI({ apiKey, endpoint: url, apiVersion: "2024-10-21", deployment: model, maxRetries: 0 }));
  },
  async models() {
    const { default: OpenAI } = await import("openai");
    const names = [];
    for await (const m of new OpenAI({ apiKey, baseURL: url, maxRetries: 0 }).models.list()) names.push(m.id);
    return { names };
  },
  async genai() {
    const { GoogleGenAI } = await import("@google/genai");
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: host } });
    let text = "", usage = null;
    const request = { model: "m", contents: "hi" };
    const replies = mode === "stream" ? await client.models.generateContentStream(request) : [await client.models.generateContent(request)];
    for await (const piece of replies) {
      text += piece.text ?? "";
      usage = piece.usageMetadata ?? usage;
    }
    return {
      text, input: usage.promptTokenCount, read: usage.cachedContentTokenCount, output: usage.candidatesTokenCount, thought: usage.thoughtsTokenCount,
    };
  },
};

try {
  console.log(JSON.stringify(await calls[sdk]()));
} catch (err) {
  console.log(JSON.stringify({ error: err.name === "Error" ? err.constructor.name : err.name, status: err.status }));
}
