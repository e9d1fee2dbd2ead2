// A typed call of an action and what comes of it; a wrong one does not compile.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const { TOOLCRIB_URL, TOOLCRIB_TOKEN, TOOLCRIB_WORKSPACE } = process.env;
const api = createClient<paths>({
  baseUrl: TOOLCRIB_URL,
  headers: { Authorization: `Bearer ${TOOLCRIB_TOKEN}`, "X-Workspace-Id": TOOLCRIB_WORKSPACE },
});

const made = await api.POST("/v1/actions/platform_create_agent", { body: { name: "Made in TypeScript", role: "worker" } });
if (made.response.status !== 200 || !made.data || !("data" in made.data)) throw new Error(JSON.stringify(made.error));
const id: string = made.data.data.id;

// @ts-expect-error: the document knows which roles there are.
const wrong = await api.POST("/v1/actions/platform_create_agent", { body: { name: "No", role: "emperor" } });
if (wrong.error?.code !== "invalid_arguments") throw new Error(`expected a refusal, not ${wrong.response.status}`);

const asked = await api.POST("/v1/actions/platform_delete_agent", { body: { agent: id } });
if (!asked.data || !("confirmation" in asked.data)) throw new Error(`expected a confirmation, not ${asked.response.status}`);

const waiting = await api.GET("/v1/confirmations/{id}", { params: { path: { id: asked.data.confirmation.id } } });
console.log(JSON.stringify({ id, refused: wrong.error.code, waits: waiting.data?.status }));
