"""Plays a conversation of two questions with a real client: chat_clients.py CLIENT URL TOOLS

Prints the names of the called tools, and "text" for a text, in order, as JSON.
"""

import json
import sys

client, url, tools = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
QUESTIONS = ["Do it.", "And again."]
said = []


def converse(ask, result):
    """Asks until each question has a text; `ask` adds the model's message to the history, and returns its calls."""
    for question in QUESTIONS:
        history.append(user(question))
        for _ in range(4):
            calls = ask()
            said.append(",".join(name for _, name in calls) or "text")
            if not calls:
                break
            history.extend(result(id) for id, _ in calls)


history = []
user = lambda text: {"role": "user", "content": text}
tool_result = lambda id: {"role": "tool", "tool_call_id": id, "content": "done"}

if client == "openai":
    from openai import OpenAI

    api = OpenAI(base_url=url + "/v1", api_key="key", max_retries=0)

    def ask():
        with api.chat.completions.stream(model="m", messages=history, tools=tools) as stream:
            message = stream.get_final_completion().choices[0].message
        history.append(message.model_dump(exclude_none=True))
        return [(call.id, call.function.name) for call in message.tool_calls or []]

    converse(ask, tool_result)
elif client == "litellm":
    import litellm

    def ask():
        chunks = list(
            litellm.completion(
                model="openai/m", api_base=url + "/v1", api_key="key", messages=history, tools=tools, stream=True, num_retries=0
            )
        )
        message = litellm.stream_chunk_builder(chunks, messages=history).choices[0].message
        history.append(message.model_dump(exclude_none=True))
        return [(call.id, call.function.name) for call in message.tool_calls or []]

    converse(ask, tool_result)
else:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_openai import ChatOpenAI

    user = lambda text: HumanMessage(text)
    model = ChatOpenAI(model="m", base_url=url + "/v1", api_key="key", max_retries=0).bind_tools(tools)

    def ask():
        message = None
        for chunk in model.stream(history):
            message = chunk if message is None else message + chunk
        history.append(message)
        return [(call["id"], call["name"]) for call in message.tool_calls]

    converse(ask, lambda id: ToolMessage("done", tool_call_id=id))

print(json.dumps(said))
