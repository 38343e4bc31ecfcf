"""The course slides on UH-Leduc: values, learning curves and the state graph."""
