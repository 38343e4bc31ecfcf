// Files that are read, sent and saved.

const CHUNK = 8192;

export const bytes = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

export async function base64(content: Blob): Promise<string> {
  const found = new Uint8Array(await content.arrayBuffer());
  let text = "";
  for (let i = 0; i < found.length; i += CHUNK) text += String.fromCharCode(...found.subarray(i, i + CHUNK));
  return btoa(text);
}

// Compressed, as the server takes no long messages; it reads such files as they are.
export async function packed(content: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await content.slice(0, 2).arrayBuffer());
  if (first === 0x1f && second === 0x8b) return base64(content);
  return base64(await new Response(content.stream().pipeThrough(new CompressionStream("gzip"))).blob());
}

export function save(name: string, content: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
