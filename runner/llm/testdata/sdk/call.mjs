// One call with an official SDK: node call.mjs SDK MODE URL. It prints what the SDK understood, as a line of JSON.
const [sdk, mode, url] = process.argv.slice(2);
const host = url.replace(/\/v1$/, "");

const calls = {
  async anthropic() {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({ apiKey: "sk-test", baseURL: host, maxRetries: 0 });
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
    const client = new OpenAI({ apiKey: "sk-test", baseURL: url, maxRetries: 0 });
    const messages = [{ role: "system", content: "be brief" }, { role: "user", content: "hi" }];
    let text = "", stop = null, usage = null;
    if (mode === "stream") {
      for await (const chunk of await client.chat.completions.create({ model: "m", messages, stream: true, stream_options: { include_usage: true } })) {
        text += chunk.choices[0]?.delta?.content ?? "";
        stop = chunk.choices[0]?.finish_reason ?? stop;
        usage = chunk.usage ?? usage;
      }
    } else {
      const whole = await client.chat.completions.create({ model: "m", messages });
      [text, stop, usage] = [whole.choices[0].message.content, whole.choices[0].finish_reason, whole.usage];
    }
    return { text, stop, input: usage.prompt_tokens, read: usage.prompt_tokens_details.cached_tokens, output: usage.completion_tokens };
  },
  gemini: () => calls.openai(), // Google's documentation points OpenAI's SDK at the layer
  async genai() {
    const { GoogleGenAI } = await import("@google/genai");
    const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: host } });
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
