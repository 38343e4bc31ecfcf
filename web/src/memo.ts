// Components that are drawn again only if need be.

import { Component, h, type ComponentType, type VNode } from "preact";

// Draws a component again only if one of its properties is another object.
export function memo<P extends object>(draw: (props: P) => VNode<any>): ComponentType<P> {
  return class extends Component<P> {
    shouldComponentUpdate(next: P): boolean {
      return Object.keys(next).some((key) => next[key as keyof P] !== this.props[key as keyof P]);
    }
    render(props: any) {
      return h("span", { class: "card-box" }, draw(props));
    }
  } as unknown as ComponentType<P>;
}
