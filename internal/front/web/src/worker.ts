// The hub for all tabs of a browser. They share a connection, because browsers limit the connections per host.

import { Hub, type Heard } from "./connection";

const hub = new Hub();

addEventListener("connect", (e) => {
  const port = (e as MessageEvent).ports[0];
  const hear = (h: Heard) => port.postMessage(h);
  port.onmessage = ({ data }) => {
    if (data.do === "follow") hub.follow(data.id, hear);
    else if (data.do === "leave") hub.leave(data.id, hear);
    else if (data.do === "join") hub.join(hear);
    else hub.bye(hear);
  };
});
