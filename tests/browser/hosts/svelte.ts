import { mount } from "svelte";
import Chat from "./Chat.svelte";

const app = document.getElementById("app")!;
const { base = "", workspace = "" } = app.dataset;
mount(Chat, { target: app, props: { base, workspace } });
