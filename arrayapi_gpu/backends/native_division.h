/* Divisions of integers that do not trap: follows kernels with users' texts on x86, where a quotient by 0, and that of
   the lowest number by -1, would end the process. No compiler has an option for that, so the assembler replaces the
   instructions by macros of their names. Optimising compilers write these statements before all functions. x / 0 and
   x % 0 are 0, and x / -1 wraps around, as everywhere in this library. Behind the prefix cs, which has no effect, a
   name is that of the instruction itself. Behind {disp32} it is the macro's since GNU's assembler 2.47. */
//: for S L H in b %al %ah  w %ax %dx  l %eax %edx  q %rax %rdx
__asm__(".macro idiv$S divisor:vararg\n"
        "cmp$S $0, \\divisor\n je 91f\n cmp$S $-1, \\divisor\n je 92f\n cs idiv$S \\divisor\n jmp 93f\n"
        "91: mov$S $0, $L\n 92: neg$S $L\n mov$S $0, $H\n 93:\n.endm\n"
        ".macro div$S divisor:vararg\n"
        "cmp$S $0, \\divisor\n je 91f\n cs div$S \\divisor\n jmp 92f\n"
        "91: mov$S $0, $L\n mov$S $0, $H\n 92:\n.endm\n");
