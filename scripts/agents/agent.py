"""An agent of sixty tools by a provider's Python SDK: python agent.py SDK. It says no address: the SDK reads it from the environment."""

import json
import sys

WISH = "Do number 37 of the shop."
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
TOOLS = [
    (f"tool_{n}", f"Does number {n} of the shop. " + "It takes care of everything that belongs to it. " * 3)
    for n in range(60)
]


def with_openai():
    import openai

    client = openai.OpenAI()
    tools = [
        {"type": "function", "function": {"name": name, "description": text, "parameters": SCHEMA}}
        for name, text in TOOLS
    ]
    messages = [{"role": "user", "content": WISH}]
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message)
        for call in message.tool_calls:
            result = json.loads(call.function.arguments)["text"]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def with_anthropic():
    import anthropic

    client = anthropic.Anthropic()
    tools = [{"name": name, "description": text, "input_schema": SCHEMA} for name, text in TOOLS]
    messages = [{"role": "user", "content": WISH}]
    while True:
        with client.messages.stream(
            model="claude-opus-4-5", max_tokens=1000, messages=messages, tools=tools
        ) as stream:
            message = stream.get_final_message()
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in message.content if block.type == "text")
        messages.append({"role": "assistant", "content": message.content})
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": call.input["text"]} for call in calls]
        messages.append({"role": "user", "content": results})


def with_google():
    from google import genai
    from google.genai import types

    client = genai.Client()
    functions = [
        types.FunctionDeclaration(name=name, description=text, parameters_json_schema=SCHEMA) for name, text in TOOLS
    ]
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=functions)],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents = [types.Content(role="user", parts=[types.Part(text=WISH)])]
    while True:
        response = client.models.generate_content(model="gemini-2.5-pro", contents=contents, config=config)
        if not response.function_calls:
            return response.text
        contents.append(response.candidates[0].content)
        parts = [
            types.Part.from_function_response(name=call.name, response={"result": call.args["text"]})
            for call in response.function_calls
        ]
        contents.append(types.Content(role="user", parts=parts))


def with_ollama():
    import ollama

    tools = [
        {"type": "function", "function": {"name": name, "description": text, "parameters": SCHEMA}}
        for name, text in TOOLS
    ]
    messages = [{"role": "user", "content": WISH}]
    while True:
        message = ollama.chat(model="qwen3", messages=messages, tools=tools).message
        if not message.tool_calls:
            return message.content
        messages.append(message)
        for call in message.tool_calls:
            result = call.function.arguments["text"]
            messages.append({"role": "tool", "tool_name": call.function.name, "content": result})


def with_boto3():
    import boto3

    client = boto3.client("bedrock-runtime")
    tools = [
        {"toolSpec": {"name": name, "description": text, "inputSchema": {"json": SCHEMA}}} for name, text in TOOLS
    ]
    messages = [{"role": "user", "content": [{"text": WISH}]}]
    while True:
        message = client.converse(
            modelId="anthropic.claude-sonnet-4-20250514-v1:0", messages=messages, toolConfig={"tools": tools}
        )["output"]["message"]
        calls = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        if not calls:
            return "".join(block.get("text", "") for block in message["content"])
        messages.append(message)
        results = [
            {"toolResult": {"toolUseId": call["toolUseId"], "content": [{"text": call["input"]["text"]}]}}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


SDKS = {
    "openai": with_openai,
    "anthropic": with_anthropic,
    "google-genai": with_google,
    "ollama": with_ollama,
    "boto3": with_boto3,
}

if __name__ == "__main__":
    print(SDKS[sys.argv[1]]())
